//! Experiment `unequal-work`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("unequal-work", "time per operation", "right")
}
