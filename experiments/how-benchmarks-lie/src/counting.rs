//! Experiment `counting`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("counting", "time per operation", "right")
}
