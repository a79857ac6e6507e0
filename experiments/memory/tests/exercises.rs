//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p memory --test exercises -- --ignored holds_only_what_it_needs
//! ```
//!
//! The tests check the answer, and that the rule of the exercise is kept. The
//! module `worked` has a solution of each.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::task::yield_now as pause;

/// The size of a page, in bytes.
const PAGE: usize = 4096;

/// A function that fills a page with data.
type Read = fn(&mut [u8; PAGE]);

/// Your solution.
mod yours {
    use super::*;

    // ANCHOR: holds_only
    /// Read a page, count its ones, wait for a moment (`pause`), and return
    /// the count. While it waits, the future may hold no page: 200 bytes must
    /// be enough, and no allocation is allowed.
    pub(super) async fn holds_only_what_it_needs(read: Read) -> usize {
        let _ = read;
        todo!()
    }
    // ANCHOR_END: holds_only

    /// *At most so many.* Run all jobs as tasks, calling `run` once on each,
    /// and return the sum of their results. At no time may more than `most`
    /// tasks exist: memory must stay bounded, however many jobs there are.
    pub(super) async fn at_most_so_many(jobs: Vec<Job>, most: usize) -> usize {
        let _ = (jobs, most);
        todo!()
    }
}

/// Our solution of each exercise.
mod worked {
    use tokio::task::JoinSet;

    use super::*;

    // ANCHOR: holds_only_worked
    pub(super) async fn holds_only_what_it_needs(read: Read) -> usize {
        // The page is dropped when this function returns, so it isn't held
        // while the task waits.
        fn ones(read: Read) -> usize {
            let mut page = [0; PAGE];
            read(&mut page);
            page.iter().filter(|&&byte| byte == 1).count()
        }
        let ones = ones(read);
        pause().await;
        ones
    }
    // ANCHOR_END: holds_only_worked

    pub(super) async fn at_most_so_many(jobs: Vec<Job>, most: usize) -> usize {
        let (mut tasks, mut sum) = (JoinSet::new(), 0);
        for job in jobs {
            if tasks.len() == most {
                let done = tasks.join_next().await.expect("there are some");
                sum += done.expect("no job panics");
            }
            tasks.spawn(job.run());
        }
        while let Some(done) = tasks.join_next().await {
            sum += done.expect("no job panics");
        }
        sum
    }
}

/// A job, which counts how many jobs exist at the same time.
struct Job {
    number: usize,
    at_once: Arc<AtOnce>,
}

/// The number of jobs that exist at the moment, and the maximum so far.
#[derive(Default)]
struct AtOnce {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Job {
    /// Creates the job's future. The job exists from this call on, not only
    /// while it runs.
    fn run(self) -> impl Future<Output = usize> + Send {
        let now = self.at_once.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.at_once.most.fetch_max(now, Ordering::Relaxed);
        async move {
            pause().await;
            self.at_once.now.fetch_sub(1, Ordering::Relaxed);
            self.number
        }
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = Builder::new_current_thread().build();
    runtime.expect("it can be built").block_on(future)
}

fn every_third_is_one(page: &mut [u8; PAGE]) {
    page.iter_mut().step_by(3).for_each(|byte| *byte = 1);
}

fn check_what_is_held<F: Future<Output = usize>>(solution: fn(Read) -> F) {
    let future = solution(every_third_is_one);
    let size = size_of_val(&future);
    assert!(size <= 200, "the future is of {size} bytes");
    assert_eq!(block_on(future), PAGE.div_ceil(3));
}

fn check_at_once<F: Future<Output = usize>>(
    solution: fn(Vec<Job>, usize) -> F,
) {
    let at_once = Arc::new(AtOnce::default());
    let job = |number| Job { number, at_once: at_once.clone() };
    let sum = block_on(solution((0..1_000).map(job).collect(), 8));
    assert_eq!(sum, 1_000 * 999 / 2);
    let most = at_once.most.load(Ordering::Relaxed);
    assert!((2..=8).contains(&most), "there were {most} at once");
}

#[test]
#[ignore = "an exercise"]
fn holds_only_what_it_needs() {
    check_what_is_held(yours::holds_only_what_it_needs);
}

#[test]
#[ignore = "an exercise"]
fn at_most_so_many() {
    check_at_once(yours::at_most_so_many);
}

#[test]
fn the_worked_solutions_are_right() {
    check_what_is_held(worked::holds_only_what_it_needs);
    check_at_once(worked::at_most_so_many);
}
