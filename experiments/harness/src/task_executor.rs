//! What executes the tasks of cells.

use std::cell::Cell;
use std::future::Future;
use std::hint::black_box;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use criterion::Bencher;
use runtimes::tokio::{multi_thread, Fresh, MULTI_THREAD, ONE_WORKER};
use runtimes::{LocalRuntime, Runtime};

use crate::batch::{Batch, Returned, Tally};
use crate::placement::Placement;
use crate::stopwatch::{Answers, Stopwatch, Timed};
use host::probe::probe;

/// What runs tasks that await futures of the type `Answer`: every runtime for which
/// these may be its tasks, and what is no contender of its own, [`FreshTokio`] and
/// [`ToAsync`].
pub trait TaskExecutor<Answer>: Copy + 'static {
    /// Whether it is started anew for each visit.
    const FOR_EACH_VISIT: bool = false;

    /// Starts it, if it does not run already, for batches of this operation.
    ///
    /// # Errors
    ///
    /// If it cannot be started here, with the reason.
    fn prepare<Operation>(
        self,
        operation: Operation,
    ) -> Result<Box<dyn Batch>, String>
    where
        Operation: Fn() -> Answer + Clone + Send + 'static;
}

impl<Answer> TaskExecutor<Answer> for Runtime
where
    Answer: Future<Output: Returned> + Send + 'static,
{
    fn prepare<Operation>(
        self,
        operation: Operation,
    ) -> Result<Box<dyn Batch>, String>
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
    {
        self.start()?;
        Ok(Box::new(Batches(move |operations| {
            let batch = on_the_clock(operation.clone(), operations);
            outcome_of(|done| self.run(Box::pin(reported(batch, done))))
        })))
    }
}

impl<Answer> TaskExecutor<Answer> for LocalRuntime
where
    Answer: Future<Output: Returned> + 'static,
{
    fn prepare<Operation>(
        self,
        operation: Operation,
    ) -> Result<Box<dyn Batch>, String>
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
    {
        self.start()?;
        Ok(Box::new(Batches(move |operations| {
            let operation = operation.clone();
            outcome_of(|done| {
                self.run(Box::new(move || {
                    let batch = on_the_clock(operation, operations);
                    Box::pin(reported(batch, done))
                }));
            })
        })))
    }
}

/// A multi-thread Tokio runtime that is built for each visit and shut down after
/// it: for operations that leave threads behind in the runtime's pool for blocking
/// calls, up to 512 for ten seconds, which would be beside the cells that come
/// next.
#[derive(Debug, Clone, Copy)]
pub struct FreshTokio;

impl<Answer> TaskExecutor<Answer> for FreshTokio
where
    Answer: Future<Output: Returned> + Send + 'static,
{
    const FOR_EACH_VISIT: bool = true;

    fn prepare<Operation>(
        self,
        operation: Operation,
    ) -> Result<Box<dyn Batch>, String>
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
    {
        // Dropping it waits until its threads have ended.
        let runtime = Fresh::new()?;
        Ok(Box::new(Batches(move |operations| {
            let batch = on_the_clock(operation.clone(), operations);
            outcome_of(|done| runtime.run(Box::pin(reported(batch, done))))
        })))
    }
}

/// Criterion's own `to_async`, on the multi-thread Tokio runtime of the process:
/// the operations run on the harness's thread, in `block_on`. To show what that
/// measures.
#[derive(Debug, Clone, Copy)]
pub struct ToAsync;

impl<Answer> TaskExecutor<Answer> for ToAsync
where
    Answer: Future<Output = u64> + 'static,
{
    fn prepare<Operation>(
        self,
        operation: Operation,
    ) -> Result<Box<dyn Batch>, String>
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
    {
        MULTI_THREAD.start()?;
        Ok(Box::new(InBlockOn(operation)))
    }
}

/// Tokio's multi-thread runtime as a program gets it that is started on these
/// cores: with a worker for each of them.
pub fn tokio_started_on(placement: Placement) -> Runtime {
    match placement {
        Placement::OneCore => ONE_WORKER,
        Placement::AllCores | Placement::Neighbours => MULTI_THREAD,
    }
}

/// What `run` has reported to it, once that has returned.
pub(crate) fn outcome_of<Outcome>(
    run: impl FnOnce(Sender<Outcome>),
) -> Outcome {
    let (done, outcome) = mpsc::channel();
    run(done);
    outcome.recv().expect("the task was run")
}

/// Reports what a future returns.
pub(crate) async fn reported<Outcome>(
    future: impl Future<Output = Outcome>,
    done: Sender<Outcome>,
) {
    // It is awaited, if nothing has panicked.
    drop(done.send(future.await));
}

/// The batch of every task.
async fn on_the_clock<Operation, Answer>(
    operation: Operation,
    operations: u64,
) -> Timed
where
    Operation: Fn() -> Answer,
    Answer: Future<Output: Returned>,
{
    let mut tally = Tally::NONE;
    if operations > 1 {
        tally.note(black_box(operation().await));
        tally = tally.after_lead_in();
    }
    let stopwatch = Stopwatch::start();
    for _ in 0..operations {
        tally.note(black_box(operation().await));
    }
    tally.stop(stopwatch)
}

/// Batches of so many operations, each in a task.
struct Batches<Run>(Run);

impl<Run: FnMut(u64) -> Timed> Batch for Batches<Run> {
    fn run(&mut self, operations: u64) -> Timed {
        (self.0)(operations)
    }
}

struct InBlockOn<Operation>(Operation);

impl<Operation, Answer> Batch for InBlockOn<Operation>
where
    Operation: Fn() -> Answer,
    Answer: Future<Output = u64>,
{
    fn run(&mut self, operations: u64) -> Timed {
        multi_thread().block_on(on_the_clock(&self.0, operations))
    }

    fn visit(
        &mut self,
        bencher: &mut Bencher<'_>,
        operations: u64,
        answer: u64,
        probes: &mut Vec<Duration>,
    ) -> Result<(), String> {
        let answers = Cell::new(Answers::NONE);
        probes.push(probe());
        bencher.to_async(multi_thread()).iter(|| async {
            let mut batch = answers.get();
            for _ in 0..operations {
                batch.note(black_box((self.0)().await));
            }
            answers.set(batch);
        });
        probes.push(probe());
        answers.get().check(answer)
    }
}

#[cfg(test)]
mod tests {
    use runtimes::smol::GLOBAL as SMOL;
    use runtimes::tokio::{CURRENT_THREAD, LOCAL_SET};

    use super::*;

    fn start<Answer>(
        on: impl TaskExecutor<Answer>,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Box<dyn Batch> {
        on.prepare(operation).unwrap()
    }

    #[test]
    fn an_executor_that_a_panic_took_along_is_started_anew() {
        async fn panics() -> u64 {
            panic!("of a test")
        }
        let siblings = [
            (
                start(CURRENT_THREAD, || async { 1 }),
                start(CURRENT_THREAD, panics),
            ),
            (start(LOCAL_SET, || async { 1 }), start(LOCAL_SET, panics)),
        ];
        for (mut good, mut bad) in siblings {
            good.run(1).checked(1).unwrap();
            let bad = std::panic::AssertUnwindSafe(|| bad.run(1));
            assert!(std::panic::catch_unwind(bad).is_err());
            good.run(1).checked(1).unwrap();
        }
    }

    /// The number of the system call in which a thread waits.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn waits_in(thread: nix::unistd::Pid) -> Option<u64> {
        let file = format!("/proc/self/task/{thread}/syscall");
        let text = std::fs::read_to_string(file).ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    /// Where the thread of the harness is while a task of smol's takes its time.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn the_harness_waits_for_smol_in_no_reactor() {
        const FUTEX: u64 = 202;
        let harness = nix::unistd::gettid();
        let mut batch = start(SMOL, move || async move {
            // It needs a moment to go to sleep.
            std::thread::sleep(Duration::from_millis(50));
            waits_in(harness).unwrap_or_default()
        });
        batch.run(1).checked(FUTEX).unwrap();
    }

    #[test]
    fn a_panic_on_smol_goes_on_in_the_harness() {
        async fn panics() -> u64 {
            panic!("of a test")
        }
        let mut bad = start(SMOL, panics);
        let bad = std::panic::AssertUnwindSafe(|| bad.run(1));
        let panic = std::panic::catch_unwind(bad).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"of a test"));
    }

    /// How many threads of the runtimes for a visit there are: other tests of
    /// this process have threads as well.
    #[cfg(target_os = "linux")]
    fn threads_for_a_visit() -> usize {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let name = |thread: std::fs::DirEntry| {
            // It may have ended meanwhile.
            std::fs::read_to_string(thread.path().join("comm"))
                .unwrap_or_default()
        };
        let names = threads.map(|thread| name(thread.unwrap()));
        names.filter(|name| name.trim_end() == "for a visit").count()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn no_thread_of_a_blocking_call_outlives_its_visit() {
        const CALLS: u64 = 50;
        let mut batch = start(FreshTokio, || async {
            let call = |_| {
                tokio::task::spawn_blocking(|| {
                    std::thread::sleep(Duration::from_millis(1));
                    1
                })
            };
            let calls: Vec<_> = (0..CALLS).map(call).collect();
            let mut sum = 0;
            for call in calls {
                sum += call.await.unwrap();
            }
            sum
        });
        batch.run(1).checked(CALLS).unwrap();
        assert!(threads_for_a_visit() > 10);
        drop(batch);
        // A thread that was joined may still be ending.
        let start = std::time::Instant::now();
        while threads_for_a_visit() > 0 {
            assert!(start.elapsed() < Duration::from_secs(5));
            std::thread::yield_now();
        }
    }
}
