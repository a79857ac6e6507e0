//! The chapter's exercises. Replace the `todo!()` of one in the module `yours`,
//! and run it:
//!
//! ```sh
//! cargo test -p spawn-cost --test exercises -- --ignored chunks
//! ```
//!
//! What is checked is the answer, and that the rule of the exercise is kept.
//! How long it takes is yours to measure. The module `worked` has a solution of
//! each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use spawn_cost::thread_pool::ThreadPool;

/// 0 + 1 + ... + (units - 1).
fn sum_of_ids(units: u64) -> u64 {
    units * (units - 1) / 2
}

/// Yours to write.
mod yours {
    use super::*;

    /// *Chunks.* A job that does nothing is all overhead. Add up the ids of all
    /// units with at most `jobs` jobs, each of which does many units.
    pub(super) fn chunks(pool: &Pool, units: u64, jobs: u64) -> u64 {
        let _ = (pool, units, jobs);
        todo!()
    }

    /// *Few at once.* Run a thread for each unit with `spawn`, and add up the
    /// ids, but let no more than `most` of the threads be unjoined at any time.
    pub(super) fn few_at_once(spawn: &Spawn, units: u64, most: usize) -> u64 {
        let _ = (spawn, units, most);
        todo!()
    }

    /// *Light tasks.* Every task reads the same table. Return the byte at the
    /// place `id % BYTES` from a future that does not carry the table along: it
    /// has to be smaller than 64 bytes.
    pub(super) async fn light_task(table: Arc<[u8; BYTES]>, id: u64) -> u64 {
        let _ = (table, id);
        todo!()
    }
}

/// A solution of each.
mod worked {
    use std::collections::VecDeque;
    use std::sync::mpsc;

    use super::*;

    pub(super) fn chunks(pool: &Pool, units: u64, jobs: u64) -> u64 {
        let (sender, sums) = mpsc::channel();
        for job in 0..jobs {
            // The boundaries are whole numbers, and the last one is `units`.
            let ids = units * job / jobs..units * (job + 1) / jobs;
            let sender = sender.clone();
            pool.execute(move || {
                sender.send(ids.sum::<u64>()).expect("the sums are awaited");
            });
        }
        drop(sender);
        sums.iter().sum()
    }

    pub(super) fn few_at_once(spawn: &Spawn, units: u64, most: usize) -> u64 {
        let join = |thread: JoinHandle<u64>| thread.join().expect("its id");
        let (mut threads, mut sum) = (VecDeque::new(), 0);
        for id in 0..units {
            if threads.len() == most {
                sum += threads.pop_front().map_or(0, join);
            }
            threads.push_back(spawn.thread(id));
        }
        sum + threads.into_iter().map(join).sum::<u64>()
    }

    /// It carries a pointer to the table. An array by value would be copied
    /// into every task.
    pub(super) async fn light_task(table: Arc<[u8; BYTES]>, id: u64) -> u64 {
        u64::from(table[id as usize % BYTES])
    }
}

/// The chapter's pool, which counts its jobs.
struct Pool {
    pool: ThreadPool,
    jobs: AtomicUsize,
}

impl Pool {
    /// Hands it a job.
    fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        self.pool.execute(job);
    }
}

fn check_chunks(solution: fn(&Pool, u64, u64) -> u64) {
    for (units, jobs) in [(1_000, 8), (1_000, 7), (5, 8), (1, 1)] {
        let pool = Pool { pool: ThreadPool::new(2), jobs: AtomicUsize::new(0) };
        assert_eq!(solution(&pool, units, jobs), sum_of_ids(units));
        let handed_over = pool.jobs.into_inner() as u64;
        assert!(handed_over > 0, "the pool did nothing");
        assert!(handed_over <= jobs, "{handed_over} jobs, not {jobs}");
    }
}

/// Starts threads, and counts those that have not ended.
#[derive(Default)]
struct Spawn {
    alive: Arc<AtomicUsize>,
    most: AtomicUsize,
    started: AtomicUsize,
}

impl Spawn {
    /// A thread that returns its id, after a moment.
    fn thread(&self, id: u64) -> JoinHandle<u64> {
        self.started.fetch_add(1, Ordering::Relaxed);
        let now = self.alive.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        let alive = Arc::clone(&self.alive);
        thread::spawn(move || {
            thread::sleep(std::time::Duration::from_millis(1));
            alive.fetch_sub(1, Ordering::Relaxed);
            id
        })
    }
}

fn check_few_at_once(solution: fn(&Spawn, u64, usize) -> u64) {
    for (units, most) in [(100, 8), (3, 8), (10, 1)] {
        let spawn = Spawn::default();
        assert_eq!(solution(&spawn, units, most), sum_of_ids(units));
        let (started, at_once) =
            (spawn.started.into_inner() as u64, spawn.most.into_inner());
        assert_eq!(started, units, "a thread for each unit");
        assert!(at_once <= most, "{at_once} threads at once, not {most}");
    }
}

/// The size of the table of *light tasks*.
const BYTES: usize = 65_536;

fn check_light_task<Task>(solution: fn(Arc<[u8; BYTES]>, u64) -> Task)
where
    Task: std::future::Future<Output = u64> + Send + 'static,
{
    let size = size_of::<Task>();
    assert!(size < 64, "a task has {size} bytes");
    let mut table = [0; BYTES];
    table.iter_mut().zip(0u8..=255).for_each(|(byte, n)| *byte = n);
    let table = Arc::new(table);
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let sum: u64 = runtime.block_on(async {
        assert_eq!(solution(Arc::clone(&table), 7).await, 7);
        let tasks: Vec<_> = (0..256)
            .map(|id| tokio::spawn(solution(Arc::clone(&table), id)))
            .collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.unwrap();
        }
        sum
    });
    assert_eq!(sum, sum_of_ids(256));
}

#[test]
#[ignore = "an exercise"]
fn chunks() {
    check_chunks(yours::chunks);
}

#[test]
#[ignore = "an exercise"]
fn few_at_once() {
    check_few_at_once(yours::few_at_once);
}

#[test]
#[ignore = "an exercise"]
fn light_task() {
    check_light_task(yours::light_task);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_chunks(worked::chunks);
    check_few_at_once(worked::few_at_once);
    check_light_task(worked::light_task);
}
