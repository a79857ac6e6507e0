//! Experiment `same-against-same`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("same-against-same", "time per operation", "right")
}
