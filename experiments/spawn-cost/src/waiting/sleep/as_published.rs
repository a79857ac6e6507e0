//! Tokio tasks in the shape of the published measurement: a `JoinSet`, filled
//! and emptied by the future that `block_on` runs on the calling thread.

use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Creates `units` tasks that sleep and return their id, collects them in the
/// order in which they finish, and adds up the ids.
pub fn sleep_and_collect(runtime: &Runtime, units: u64, wait: Duration) -> u64 {
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for id in 0..units {
            tasks.spawn(async move {
                tokio::time::sleep(wait).await;
                id
            });
        }
        let mut sum = 0;
        while let Some(id) = tasks.join_next().await {
            sum += id.expect("the task returns its id");
        }
        sum
    })
}
