//! Threads, jobs and tasks that keep a core busy. Each function calls `work`
//! with every id below `units`, in one thread, job or task per id, and adds
//! up the results.

use std::sync::mpsc;
use std::thread;

use harness::work::work;
use tokio::task;

use crate::listings::thread_pool::ThreadPool;

/// Returns a function that does `rounds` rounds of arithmetic and returns its
/// argument, the id of a thread, job or task.
pub(crate) fn unit(rounds: u64) -> impl Fn(u64) -> u64 + Copy + Send + Sync {
    move |id| {
        work(rounds);
        id
    }
}

/// Runs one operating-system thread per unit of work.
pub(crate) fn threads(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let threads: Vec<_> =
        (0..units).map(|id| thread::spawn(move || work(id))).collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the work does not panic"))
        .fold(0, u64::wrapping_add)
}

/// Runs one job per unit of work, in an existing pool of threads.
pub(crate) fn pool(
    pool: &ThreadPool,
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let (sender, results) = mpsc::channel();
    for id in 0..units {
        let sender = sender.clone();
        pool.execute(move || {
            sender.send(work(id)).expect("the results are awaited");
        });
    }
    drop(sender);
    results.iter().fold(0, u64::wrapping_add)
}

/// Runs one job per unit of work, in Rayon's pool. (For a plain loop over
/// numbers, a parallel iterator needs far fewer jobs.)
pub(crate) fn jobs(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + Sync,
) -> u64 {
    let mut results = vec![0; units as usize];
    rayon::scope(|scope| {
        for (id, result) in (0..units).zip(&mut results) {
            scope.spawn(move |_| *result = work(id));
        }
    });
    results.into_iter().fold(0, u64::wrapping_add)
}

/// Runs one Tokio task per unit of work. A task never awaits, so it occupies
/// its worker until it ends.
pub(crate) async fn tasks(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let tasks: Vec<_> =
        (0..units).map(|id| tokio::spawn(async move { work(id) })).collect();
    let mut sum = 0u64;
    for task in tasks {
        sum = sum.wrapping_add(task.await.expect("the work does not panic"));
    }
    sum
}

/// Makes one call of `spawn_blocking` per unit of work. Tokio's pool for
/// these calls grows to one thread per concurrent call, up to 512 by default.
pub(crate) async fn blocking(
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    let jobs: Vec<_> =
        (0..units).map(|id| task::spawn_blocking(move || work(id))).collect();
    let mut sum = 0u64;
    for job in jobs {
        sum = sum.wrapping_add(job.await.expect("the work does not panic"));
    }
    sum
}

/// Does all the work in a loop on the calling thread, without other threads,
/// jobs or tasks.
pub(crate) fn one_thread(units: u64, work: impl Fn(u64) -> u64) -> u64 {
    (0..units).map(work).fold(0, u64::wrapping_add)
}

/// Does the work in fixed shares, one per core. A contender's extra time is
/// the cost of its threads, jobs or tasks.
///
/// Each thread of Rayon's pool loops over its share.
pub(crate) fn divided(units: u64, work: impl Fn(u64) -> u64 + Sync) -> u64 {
    let sums = rayon::broadcast(|thread| {
        let share = thread.index() as u64..units;
        let own = share.step_by(thread.num_threads());
        own.map(&work).fold(0, u64::wrapping_add)
    });
    sums.into_iter().fold(0, u64::wrapping_add)
}
