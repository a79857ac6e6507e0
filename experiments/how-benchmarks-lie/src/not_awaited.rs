//! Experiment `not-awaited`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("not-awaited", "time per operation", "right")
}
