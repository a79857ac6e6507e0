//! The number of workers that serve requests.

use harness::core_count;

/// The number of workers. It is the same on every machine, so that machines
/// can be compared.
pub(super) const WORKERS: usize = 2;

/// Checks that there are at least as many cores as workers. With fewer cores,
/// the load would be different. Whether workers are pinned to cores depends
/// on the placement.
pub(super) fn have_cores() -> Result<(), String> {
    match core_count() {
        cores if cores < WORKERS => Err(format!(
            "it takes {WORKERS} cores, and this process has {cores}"
        )),
        _ => Ok(()),
    }
}
