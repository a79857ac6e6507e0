//! How many workers serve.

use std::thread::available_parallelism;

/// How many workers there are, whatever the machine, so that machines compare.
pub(super) const WORKERS: usize = 2;

/// There has to be a core for each worker, or the load would be another. Whether each
/// has one to itself is said by the placement.
pub(super) fn have_cores() -> Result<(), String> {
    match available_parallelism() {
        Ok(cores) if cores.get() < WORKERS => Err(format!(
            "it takes {WORKERS} cores, and this process has {cores}"
        )),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("the number of cores is not known: {error}")),
    }
}
