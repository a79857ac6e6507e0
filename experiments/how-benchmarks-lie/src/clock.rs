//! Experiment `clock`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("clock", "time per operation", "right")
}
