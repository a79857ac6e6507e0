//! The chapter's exercise. Replace the `todo!()` in the module `yours`, and run it:
//!
//! ```sh
//! cargo test -p blocking-tasks --test exercises -- --ignored at_once
//! ```
//!
//! The module `worked` has a solution.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task::{spawn_blocking, JoinSet};

/// Your solution.
mod yours {
    // ANCHOR: at_once
    /// Runs each job by `spawn_blocking`, and no more than `most` of them at
    /// the same time. Returns when all have finished.
    pub(super) async fn at_once<Job>(jobs: Vec<Job>, most: usize)
    where
        Job: FnOnce() + Send + 'static,
    {
        let _ = (jobs, most);
        todo!()
    }
    // ANCHOR_END: at_once
}

/// Our solution.
mod worked {
    use super::*;

    // ANCHOR: at_once_worked
    pub(super) async fn at_once<Job>(jobs: Vec<Job>, most: usize)
    where
        Job: FnOnce() + Send + 'static,
    {
        let permits = Arc::new(Semaphore::new(most));
        let mut tasks = JoinSet::new();
        for job in jobs {
            let permits = Arc::clone(&permits);
            tasks.spawn(async move {
                let permit = permits.acquire_owned().await;
                // The thread that runs the job holds the permit until the job
                // has finished.
                let done = spawn_blocking(move || {
                    job();
                    drop(permit);
                });
                done.await.expect("the job does not panic");
            });
        }
        tasks.join_all().await;
    }
    // ANCHOR_END: at_once_worked
}

type Job = Box<dyn FnOnce() + Send>;

fn check<Done>(at_once: fn(Vec<Job>, usize) -> Done)
where
    Done: Future<Output = ()>,
{
    let [running, most, done] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
    let job = |_| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        let done = Arc::clone(&done);
        let job = move || {
            most.fetch_max(running.fetch_add(1, Relaxed) + 1, Relaxed);
            thread::sleep(Duration::from_millis(10));
            running.fetch_sub(1, Relaxed);
            done.fetch_add(1, Relaxed);
        };
        Box::new(job) as Job
    };
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(at_once((0..6).map(job).collect(), 2));
    assert_eq!(done.load(Relaxed), 6, "not all jobs were done");
    let most = most.load(Relaxed);
    assert!(most <= 2, "{most} jobs ran at the same time");
}

#[test]
#[ignore = "yours to write"]
fn at_once() {
    check(yours::at_once);
}

#[test]
fn at_once_worked() {
    check(worked::at_once);
}
