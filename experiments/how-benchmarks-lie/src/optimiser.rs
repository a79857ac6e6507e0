//! Experiment `optimiser`.

use harness::Experiment;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("optimiser", "time per operation", "right")
}
