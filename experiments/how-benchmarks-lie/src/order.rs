//! Experiment `order`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("order", "time per operation", "right")
}
