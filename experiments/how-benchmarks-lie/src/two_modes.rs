//! Experiment `two-modes`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("two-modes", "time per operation", "right")
}
