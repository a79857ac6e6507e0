//! The number of workers that serve requests.

use harness::core_count;

/// The number of workers, which doesn't depend on the machine, so that
/// machines can be compared.
pub(super) const WORKERS: usize = 2;

/// Checks that there are as many cores as workers: with fewer, the load would
/// be different. The placement decides whether each worker is pinned to a
/// core.
pub(super) fn have_cores() -> Result<(), String> {
    match core_count() {
        cores if cores < WORKERS => Err(format!(
            "it takes {WORKERS} cores, and this process has {cores}"
        )),
        _ => Ok(()),
    }
}
