//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p spawn-cost --test exercises -- --ignored chunks
//! ```
//!
//! For *light tasks*, start from the given version. The tests check the
//! answer, and that the exercise's rule is kept. Measuring the time is up to
//! you. The module `worked` has a solution to each exercise.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Returns 0 + 1 + ... + (units - 1).
fn sum_of_ids(units: u64) -> u64 {
    units * (units - 1) / 2
}

/// Your solution.
mod yours {
    use super::*;

    // ANCHOR: chunks
    /// A job that does nothing is all overhead. Add up the ids of all units
    /// with at most `jobs` jobs that each do many units.
    pub(super) fn chunks(pool: &Pool, units: u64, jobs: u64) -> u64 {
        let _ = (pool, units, jobs);
        todo!()
    }
    // ANCHOR_END: chunks

    /// *Few at once.* For each id below `units`, run a thread with `spawn`,
    /// and add up the ids, with no more than `most` unjoined threads at any
    /// time, and none in the end. Only `join` joins a thread; having ended
    /// isn't enough.
    pub(super) fn few_at_once(spawn: &Spawn, units: u64, most: usize) -> u64 {
        let _ = (spawn, units, most);
        todo!()
    }

    /// *Light tasks.* Each task returns a byte of the same table. Here, every
    /// task carries a copy of the table. Change that: a task has to be
    /// smaller than 64 bytes, and the table may not be copied.
    pub(super) fn light_tasks(
        table: Table,
        tasks: usize,
    ) -> Vec<impl Future<Output = u64> + Send> {
        let task = |id| {
            let table = table.clone();
            async move { table.byte(id) }
        };
        (0..tasks).map(task).collect()
    }
}

/// Our solutions.
mod worked {
    use std::collections::VecDeque;
    use std::sync::mpsc;

    use super::*;

    // ANCHOR: chunks_worked
    pub(super) fn chunks(pool: &Pool, units: u64, jobs: u64) -> u64 {
        let (sender, sums) = mpsc::channel();
        for job in 0..jobs {
            // The boundaries are integers, and the last one is `units`.
            let ids = units * job / jobs..units * (job + 1) / jobs;
            let sender = sender.clone();
            pool.execute(move || {
                sender.send(ids.sum::<u64>()).expect("the sums are awaited");
            });
        }
        drop(sender);
        sums.iter().sum()
    }
    // ANCHOR_END: chunks_worked

    pub(super) fn few_at_once(spawn: &Spawn, units: u64, most: usize) -> u64 {
        let (mut threads, mut sum) = (VecDeque::new(), 0);
        for id in 0..units {
            if threads.len() == most {
                sum += threads.pop_front().map_or(0, Thread::join);
            }
            threads.push_back(spawn.thread(id));
        }
        sum + threads.into_iter().map(Thread::join).sum::<u64>()
    }

    /// Each task carries a pointer to the shared table.
    pub(super) fn light_tasks(
        table: Table,
        tasks: usize,
    ) -> Vec<impl Future<Output = u64> + Send> {
        let table = Arc::new(table);
        let task = |id| {
            let table = Arc::clone(&table);
            async move { table.byte(id) }
        };
        (0..tasks).map(task).collect()
    }
}

/// Stands in for a thread pool: counts the jobs, and runs each on a new
/// thread.
#[derive(Default)]
struct Pool {
    jobs: AtomicUsize,
}

impl Pool {
    /// Runs a job.
    fn execute(&self, job: impl FnOnce() + Send + 'static) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        thread::spawn(job);
    }
}

fn check_chunks(solution: fn(&Pool, u64, u64) -> u64) {
    for (units, jobs) in [(1_000, 8), (1_000, 7), (5, 8), (1, 1)] {
        let pool = Pool::default();
        assert_eq!(solution(&pool, units, jobs), sum_of_ids(units));
        let handed_over = pool.jobs.into_inner() as u64;
        assert!(handed_over > 0, "the pool did nothing");
        assert!(handed_over <= jobs, "{handed_over} jobs, not {jobs}");
    }
}

/// Starts threads, and counts those that have not been joined yet.
#[derive(Default)]
struct Spawn {
    unjoined: Arc<AtomicUsize>,
    most: AtomicUsize,
    started: AtomicUsize,
}

impl Spawn {
    /// Starts a thread that returns `id` after a millisecond.
    fn thread(&self, id: u64) -> Thread {
        self.started.fetch_add(1, Ordering::Relaxed);
        let now = self.unjoined.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_millis(1));
            id
        });
        Thread { thread, unjoined: Arc::clone(&self.unjoined) }
    }
}

/// An unjoined thread.
struct Thread {
    thread: JoinHandle<u64>,
    unjoined: Arc<AtomicUsize>,
}

impl Thread {
    fn join(self) -> u64 {
        let id = self.thread.join().expect("its id");
        self.unjoined.fetch_sub(1, Ordering::Relaxed);
        id
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
        let left = spawn.unjoined.load(Ordering::Relaxed);
        assert_eq!(left, 0, "threads that were never joined");
    }
}

/// The size of the table of *light tasks*, in bytes.
const BYTES: usize = 65_536;

/// The table of *light tasks*, which counts how often it is copied.
struct Table {
    bytes: [u8; BYTES],
    copies: Arc<AtomicUsize>,
}

impl Table {
    /// Returns the byte at index `id`, which is `id % 256`.
    fn byte(&self, id: usize) -> u64 {
        u64::from(self.bytes[id])
    }
}

impl Clone for Table {
    fn clone(&self) -> Table {
        self.copies.fetch_add(1, Ordering::Relaxed);
        Table { bytes: self.bytes, copies: Arc::clone(&self.copies) }
    }
}

fn check_light_tasks<Task>(solution: fn(Table, usize) -> Vec<Task>)
where
    Task: Future<Output = u64> + Send + 'static,
{
    const TASKS: usize = 256;
    let copies = Arc::new(AtomicUsize::new(0));
    let bytes = std::array::from_fn(|place| place as u8);
    let tasks = solution(Table { bytes, copies: Arc::clone(&copies) }, TASKS);
    assert_eq!(tasks.len(), TASKS);
    let size = size_of::<Task>();
    assert!(size < 64, "a task has {size} bytes");
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    runtime.block_on(async {
        let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
        for (id, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await.unwrap(), id as u64, "the byte of {id}");
        }
    });
    let copies = copies.load(Ordering::Relaxed);
    assert_eq!(copies, 0, "copies of the table");
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
fn light_tasks() {
    check_light_tasks(yours::light_tasks);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_chunks(worked::chunks);
    check_few_at_once(worked::few_at_once);
    check_light_tasks(worked::light_tasks);
}

#[test]
#[should_panic = "threads at once"]
fn a_thread_that_has_ended_is_not_joined() {
    check_few_at_once(|spawn, units, _| {
        let thread = |id| {
            thread::sleep(Duration::from_millis(2));
            spawn.thread(id);
            id
        };
        (0..units).map(thread).sum()
    });
}

#[test]
#[should_panic = "copies of the table"]
fn a_small_task_with_a_table_of_its_own_is_not_light() {
    check_light_tasks(|table, tasks| {
        let task = |id| {
            let table = Box::new(table.clone());
            async move { table.byte(id) }
        };
        (0..tasks).map(task).collect()
    });
}
