//! How many workers serve.

use harness::core_count;

/// How many workers there are, whatever the machine, so that machines compare.
pub(super) const WORKERS: usize = 2;

/// There has to be a core for each worker, or the load would be another. Whether each
/// has one to itself is said by the placement.
pub(super) fn have_cores() -> Result<(), String> {
    match core_count() {
        cores if cores < WORKERS => Err(format!(
            "it takes {WORKERS} cores, and this process has {cores}"
        )),
        _ => Ok(()),
    }
}
