//! Experiment `block-on`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("block-on", "time per operation", "right")
}
