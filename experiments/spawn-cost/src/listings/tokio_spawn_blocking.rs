//! One job per unit of work in Tokio's pool for blocking calls, spawned from
//! a task. The pool starts a new thread whenever none is idle.

use tokio::task::{self, JoinHandle};

/// Creates `units` jobs that return their id, awaits them, and adds up the ids.
pub async fn create_and_collect(units: u64) -> u64 {
    collect(create(units)).await
}

/// Creates the jobs.
pub fn create(units: u64) -> Vec<JoinHandle<u64>> {
    (0..units).map(|id| task::spawn_blocking(move || id)).collect()
}

/// Awaits `jobs`, and adds up the ids that they return.
pub async fn collect(jobs: Vec<JoinHandle<u64>>) -> u64 {
    let mut sum = 0;
    for job in jobs {
        sum += job.await.expect("the job returns its id");
    }
    sum
}
