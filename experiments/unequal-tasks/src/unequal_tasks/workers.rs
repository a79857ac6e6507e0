//! How many workers serve.

use harness::core_count;

/// The number of workers, which is independent of the machine so that machines
/// can be compared.
pub(super) const WORKERS: usize = 2;

/// Checks that there is a core for each worker, or the load would be different.
/// The placement decides whether each worker is bound to one.
pub(super) fn have_cores() -> Result<(), String> {
    match core_count() {
        cores if cores < WORKERS => Err(format!(
            "it takes {WORKERS} cores, and this process has {cores}"
        )),
        _ => Ok(()),
    }
}
