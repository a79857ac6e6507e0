//! Tokio tasks in the shape of the published measurement: a `JoinSet`, filled
//! and emptied by the future that `block_on` runs on the calling thread, which
//! is not a worker.

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Creates `units` tasks that return their id, collects them in the order in
/// which they finish, and adds up the ids.
pub fn create_and_collect(runtime: &Runtime, units: u64) -> u64 {
    runtime.block_on(async {
        let mut tasks: JoinSet<u64> =
            (0..units).map(|id| async move { id }).collect();
        let mut sum = 0;
        while let Some(id) = tasks.join_next().await {
            sum += id.expect("the task returns its id");
        }
        sum
    })
}
