//! One compio task per unit of work. A task never leaves the thread of its
//! runtime.

use compio::runtime::{self, JoinHandle};

/// Creates `units` tasks that return their id, awaits them, and adds up the
/// ids.
pub async fn create_and_collect(units: u64) -> u64 {
    collect(create(units)).await
}

/// Creates the tasks.
pub fn create(units: u64) -> Vec<JoinHandle<u64>> {
    (0..units).map(|id| runtime::spawn(async move { id })).collect()
}

/// Awaits `tasks`, and adds up the ids that they return.
pub async fn collect(tasks: Vec<JoinHandle<u64>>) -> u64 {
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("the task returns its id");
    }
    sum
}
