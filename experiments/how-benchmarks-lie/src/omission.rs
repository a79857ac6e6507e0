//! Experiment `omission`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("omission", "time per operation", "right")
}
