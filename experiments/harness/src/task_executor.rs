//! The executors for benchmarks whose operations are tasks.

use std::cell::Cell;
use std::future::Future;
use std::hint::black_box;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use criterion::Bencher;
use host::probe::probe;
use runtimes::tokio::{multi_thread, Fresh, MULTI_THREAD, ONE_WORKER};
use runtimes::{LocalRuntime, Runtime};

use crate::batch::{Batch, Returned, Started, Tally};
use crate::kept_state::{Anywhere, Keep, OnItsThread};
use crate::placement::Placement;
use crate::stopwatch::{Answers, Stopwatch, Timed};

/// An executor of tasks that await futures of the type `Answer`. Implemented
/// for every runtime that accepts such tasks, and for two executors that are
/// not contenders themselves,
/// [`FreshTokio`] and [`ToAsync`].
pub trait TaskExecutor<Answer>: Copy + 'static {
    /// True if each measurement starts a new executor.
    const FOR_EACH_VISIT: bool = false;

    /// Starts the executor if necessary. Returns a workload that runs batches
    /// of `operation`.
    fn prepare(
        self,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Started;
}

/// An executor of tasks that share a state during one measurement.
/// Implemented for every runtime that accepts futures of these types.
pub trait StagedExecutor<State, Ready, Answer, Gone>: Copy + 'static {
    /// Starts the executor if necessary, and calls `set_up` to create the
    /// state. Each `operation` uses the state. After the measurement, the
    /// state is passed to `take_down`.
    fn prepare_staged(
        self,
        set_up: impl Fn() -> Ready + Clone + Send + 'static,
        operation: impl Fn(State) -> Answer + Clone + Send + 'static,
        take_down: impl Fn(State) -> Gone + Clone + Send + 'static,
    ) -> Started;
}

/// Implements `TaskExecutor` and `StagedExecutor` for a kind of runtime. The
/// kinds differ in whether a task has to be [`Send`], which can only be
/// required of its parts; in how a task is passed on; and in where a state is
/// kept.
macro_rules! execute {
    ($runtime:ty, [$($send:tt)*], $kept:expr, |$make:ident| $task:expr) => {
        impl<Answer> TaskExecutor<Answer> for $runtime
        where
            Answer: Future<Output: Returned> $($send)* + 'static,
        {
            fn prepare(
                self,
                operation: impl Fn() -> Answer + Clone + Send + 'static,
            ) -> Started {
                self.start()?;
                Ok(Box::new(move |operations: u64| {
                    let operation = operation.clone();
                    outcome_of(|done| {
                        let $make = move || {
                            reported(on_the_clock(operation, operations), done)
                        };
                        self.run($task);
                    })
                }))
            }
        }

        impl<State, Ready, Answer, Gone>
            StagedExecutor<State, Ready, Answer, Gone> for $runtime
        where
            State: 'static $($send)*,
            Ready: Future<Output = State> $($send)* + 'static,
            Answer: Future<Output = (State, u64)> $($send)* + 'static,
            Gone: Future<Output = ()> $($send)* + 'static,
        {
            fn prepare_staged(
                self,
                set_up: impl Fn() -> Ready + Clone + Send + 'static,
                operation: impl Fn(State) -> Answer + Clone + Send + 'static,
                take_down: impl Fn(State) -> Gone + Clone + Send + 'static,
            ) -> Started {
                self.start()?;
                let kept = $kept;
                let stages = (set_up, operation, take_down);
                Ok(Box::new(Staged::new(move |turn| {
                    let (kept, stages) = (kept.clone(), stages.clone());
                    outcome_of(|done| {
                        let $make =
                            move || reported(staged(turn, kept, stages), done);
                        self.run($task);
                    })
                })))
            }
        }
    };
}

execute!(Runtime, [+ Send], Anywhere::default(), |make| Box::pin(make()));
execute!(LocalRuntime, [], OnItsThread::new(), |make| Box::new(move || {
    Box::pin(make())
}));

/// A multi-thread Tokio runtime that is built for each measurement and shut
/// down after it. It is for operations that leave threads in the runtime's
/// blocking pool. Up to 512 such threads remain for ten seconds, and would
/// disturb the benchmarks that follow.
#[derive(Debug, Clone, Copy)]
pub struct FreshTokio;

impl<Answer> TaskExecutor<Answer> for FreshTokio
where
    Answer: Future<Output: Returned> + Send + 'static,
{
    const FOR_EACH_VISIT: bool = true;

    fn prepare(
        self,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Started {
        // Dropping the runtime waits until its threads have ended.
        let runtime = Fresh::new()?;
        Ok(Box::new(move |operations: u64| {
            let batch = on_the_clock(operation.clone(), operations);
            outcome_of(|done| runtime.run(Box::pin(reported(batch, done))))
        }))
    }
}

/// Uses criterion's own `to_async` with this process's multi-thread Tokio
/// runtime. The operations run on the harness's thread, in `block_on`. The
/// benchmark shows what `to_async` measures.
#[derive(Debug, Clone, Copy)]
pub struct ToAsync;

impl<Answer> TaskExecutor<Answer> for ToAsync
where
    Answer: Future<Output = u64> + 'static,
{
    fn prepare(
        self,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Started {
        MULTI_THREAD.start()?;
        Ok(Box::new(InBlockOn(operation)))
    }
}

/// Returns Tokio's multi-thread runtime with one worker per core of
/// `placement`. This is the default for a program that is started on these
/// cores.
pub fn tokio_started_on(placement: Placement) -> Runtime {
    match placement {
        Placement::OneCore => ONE_WORKER,
        Placement::AllCores | Placement::Neighbours => MULTI_THREAD,
    }
}

fn outcome_of<Outcome>(run: impl FnOnce(Sender<Outcome>)) -> Outcome {
    let (done, outcome) = mpsc::channel();
    run(done);
    outcome.recv().expect("the task was run")
}

/// Sends the result of a future to `done`.
async fn reported<Outcome>(
    future: impl Future<Output = Outcome>,
    done: Sender<Outcome>,
) {
    // Sending fails only if the receiver has been dropped, because something
    // has panicked.
    drop(done.send(future.await));
}

/// Runs a batch within a task, and returns its time. If the batch has several
/// operations, an untimed one runs first.
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

/// A step of a benchmark whose operations share a state. Each step is a task.
#[derive(Clone, Copy)]
enum Turn {
    SetUp,
    Run(u64),
    TakeDown,
}

/// Carries out one step as a task. `kept` holds the state between tasks.
/// Returns the time of the operations, or zero if the step has none.
async fn staged<State, SetUp, Ready, Operation, Answer, TakeDown, Gone>(
    turn: Turn,
    kept: impl Keep<State>,
    (set_up, operation, take_down): (SetUp, Operation, TakeDown),
) -> Timed
where
    SetUp: Fn() -> Ready,
    Ready: Future<Output = State>,
    Operation: Fn(State) -> Answer,
    Answer: Future<Output = (State, u64)>,
    TakeDown: Fn(State) -> Gone,
    Gone: Future<Output = ()>,
{
    let mut answers = Answers::NONE;
    let Turn::Run(operations) = turn else {
        match (turn, kept.take()) {
            (Turn::SetUp, _) => kept.put(set_up().await),
            (_, Some(state)) => take_down(state).await,
            // There is no state if an operation has panicked.
            (_, None) => {}
        }
        return Stopwatch::start().stop(answers);
    };
    let mut state = kept.take().expect("no operation has panicked");
    let mut answer;
    if operations > 1 {
        (state, answer) = operation(state).await;
        answers.note(black_box(answer));
    }
    let stopwatch = Stopwatch::start();
    for _ in 0..operations {
        (state, answer) = operation(state).await;
        answers.note(black_box(answer));
    }
    let timed = stopwatch.stop(answers);
    kept.put(state);
    timed
}

/// A benchmark with a state, which is set up when this value is created, and
/// taken down when it is dropped.
struct Staged<Take: FnMut(Turn) -> Timed>(Take);

impl<Take: FnMut(Turn) -> Timed> Staged<Take> {
    fn new(mut take: Take) -> Self {
        take(Turn::SetUp);
        Staged(take)
    }
}

impl<Take: FnMut(Turn) -> Timed> Batch for Staged<Take> {
    fn run(&mut self, operations: u64) -> Timed {
        (self.0)(Turn::Run(operations))
    }
}

impl<Take: FnMut(Turn) -> Timed> Drop for Staged<Take> {
    fn drop(&mut self) {
        (self.0)(Turn::TakeDown);
    }
}

#[cfg(test)]
mod tests {
    use runtimes::smol::GLOBAL as SMOL;
    use tokio::task::spawn_blocking;

    use super::*;

    fn start<Answer>(
        on: impl TaskExecutor<Answer>,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Box<dyn Batch> {
        on.prepare(operation).unwrap()
    }

    /// While a smol task runs, the harness's thread waits in a system call.
    /// The number of that call shows that the thread doesn't drive a reactor.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn the_harness_waits_for_smol_in_no_reactor() {
        const FUTEX: u64 = 202;
        let harness = nix::unistd::gettid();
        let mut batch = start(SMOL, move || async move {
            // The harness's thread needs a moment to go to sleep.
            std::thread::sleep(Duration::from_millis(50));
            let file = format!("/proc/self/task/{harness}/syscall");
            let call = std::fs::read_to_string(file).unwrap();
            call.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        });
        batch.run(1).checked(FUTEX).unwrap();
    }

    /// Returns the number of threads that belong to runtimes built for a
    /// single measurement. Other threads, such as those of other tests, have
    /// other names.
    #[cfg(target_os = "linux")]
    fn threads_for_a_visit() -> usize {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        // A thread may have ended since the threads were listed.
        let name = |thread: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(thread.unwrap().path().join("comm")).ok()
        };
        let names = threads.filter_map(name);
        names.filter(|name| name.trim_end() == "for a visit").count()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn no_thread_of_a_blocking_call_outlives_its_visit() {
        const CALLS: u64 = 50;
        let mut batch = start(FreshTokio, || async {
            let call = || std::thread::sleep(Duration::from_millis(1));
            let calls = [(); CALLS as usize].map(|()| spawn_blocking(call));
            let mut ended = 0;
            for call in calls {
                call.await.unwrap();
                ended += 1;
            }
            ended
        });
        batch.run(1).checked(CALLS).unwrap();
        assert!(threads_for_a_visit() > 10);
        drop(batch);
        // Even a thread that has been joined may still be ending.
        let start = std::time::Instant::now();
        while threads_for_a_visit() > 0 {
            assert!(start.elapsed() < Duration::from_secs(5));
            std::thread::yield_now();
        }
    }
}
