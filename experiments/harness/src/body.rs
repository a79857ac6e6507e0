//! What a cell does, and on which thread.

use std::cell::Cell;
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::{mpsc, Arc};
use std::time::Duration;

use criterion::Bencher;
use host::probe::probe;
use tokio::runtime::Runtime;

use crate::crew::Members;
use crate::executor::{self, Executor, LocalExecutor};
use crate::kept::{Anywhere, Keep, OnItsThread};
use crate::stopwatch::{Answers, Stopwatch, Timed};

/// How long everything rests before each operation of a body *from idle*: long
/// enough for the workers of every executor here to go to sleep.
const REST: Duration = Duration::from_millis(1);

/// What a cell does, and on which thread.
///
/// A batch is *steady* unless told otherwise: what is measured is the cost in a
/// program that is at work, not that of its first use. A batch of several
/// operations runs one more before the clock starts; a batch of one is an
/// operation longer than a sample, and follows directly on the one before it.
pub struct Body {
    start: Box<dyn Fn() -> Result<Box<dyn Batch>, String>>,
    for_each_visit: bool,
}

/// What an operation returns: its answer, or the time that it took by its own
/// clock, beside the answer. With a clock of its own an operation times a part of
/// what it does, such as creating units without collecting them.
pub trait Reply {
    /// The time by its own clock, if it has one, and the answer.
    fn parts(self) -> (Option<Duration>, u64);
}

impl Reply for u64 {
    fn parts(self) -> (Option<Duration>, u64) {
        (None, self)
    }
}

impl Reply for (Duration, u64) {
    fn parts(self) -> (Option<Duration>, u64) {
        (Some(self.0), self.1)
    }
}

/// A started body: lives as long as its process, or for one visit.
pub(crate) trait Batch {
    /// Runs `operations` on the clock, after the untimed lead-in.
    fn run(&mut self, operations: u64) -> Timed;

    /// Lets criterion time `operations` as its one iteration. Adds to `probes` what
    /// the core took for the probe after each sample; the one before it is that of
    /// the last.
    ///
    /// # Errors
    ///
    /// If an answer is not the expected one.
    fn visit(
        &mut self,
        bencher: &mut Bencher<'_>,
        operations: u64,
        answer: u64,
        probes: &mut Vec<Duration>,
    ) -> Result<(), String> {
        let mut answers = Answers::NONE;
        bencher.iter_custom(|iterations| {
            let timed = self.run(operations * iterations);
            answers = answers.and(timed.answers);
            probes.push(timed.probe);
            timed.elapsed
        });
        answers.check(answer)
    }
}

impl Body {
    fn new<B: Batch + 'static>(start: impl Fn() -> B + 'static) -> Body {
        Body::fallible(move || Ok(Box::new(start())))
    }

    fn fallible(
        start: impl Fn() -> Result<Box<dyn Batch>, String> + 'static,
    ) -> Body {
        Body { start: Box::new(start), for_each_visit: false }
    }

    /// On the harness's own thread. `start` is called once in each process, and
    /// may set up what all operations use; what it returns is the operation.
    pub fn here<Operation>(start: impl Fn() -> Operation + 'static) -> Body
    where
        Operation: FnMut() -> u64 + 'static,
    {
        Body::new(move || Here(start()))
    }

    /// Wherever `enter` takes a batch, for instance onto a worker of a thread
    /// pool: `|batch| rayon::scope(|_| batch())`. The clock runs in there.
    pub fn inside<Enter, Operation, R>(
        enter: Enter,
        operation: Operation,
    ) -> Body
    where
        Enter: Fn(&mut (dyn FnMut() + Send)) + Clone + 'static,
        Operation: FnMut() -> R + Clone + Send + 'static,
        R: Reply + 'static,
    {
        Body::new(move || {
            // So that a pool is started before the cell is pinned to a core.
            enter(&mut || ());
            let operation = Here(operation.clone());
            Inside { enter: enter.clone(), operation }
        })
    }

    /// On the harness's own thread, where the operation takes the time itself
    /// and returns it beside its answer: to time a part of what it does.
    pub fn self_timed<Operation>(
        start: impl Fn() -> Operation + 'static,
    ) -> Body
    where
        Operation: FnMut() -> (Duration, u64) + 'static,
    {
        Body::new(move || Here(start()))
    }

    /// On the harness's own thread, with a state that is set up for each visit.
    /// After the visit `take_down` gets it, so that nothing of it disturbs the
    /// next one.
    pub fn here_with<State: 'static>(
        set_up: impl Fn() -> State + 'static,
        operation: impl Fn(&mut State) -> u64 + Copy + 'static,
        take_down: impl Fn(State) + Copy + 'static,
    ) -> Body {
        let start = move || {
            let mut state = TakenDown(Some(set_up()), take_down);
            move || operation(state.0.as_mut().expect("it is taken last"))
        };
        Body::here(start).for_each_visit()
    }

    /// In a task of an executor that is shared by all cells of the process. The
    /// operations are awaited one after the other.
    pub fn task<Operation, Answer>(
        executor: Executor,
        operation: Operation,
    ) -> Body
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
        Answer: Future<Output: Reply> + Send + 'static,
    {
        Body::fallible(move || {
            executor.start()?;
            Ok(Box::new(Task { executor, operation: operation.clone() }))
        })
    }

    /// The same on a multi-thread Tokio runtime that is built for each visit and
    /// shut down after it: for operations that leave threads behind in the
    /// runtime's pool for blocking calls, up to 512 for ten seconds, which would
    /// be beside the cells that come next.
    pub fn task_for_each_visit<Operation, Answer>(operation: Operation) -> Body
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
        Answer: Future<Output: Reply> + Send + 'static,
    {
        let start = move || {
            let runtime = executor::tokio_for_a_visit()?;
            let operation = operation.clone();
            Ok(Box::new(TaskForAVisit { runtime, operation }) as _)
        };
        Body::fallible(start).for_each_visit()
    }

    /// In a task of an executor that the harness does not know: `run` runs a
    /// future as a task, and returns when it is done. The operations are awaited
    /// one after the other.
    pub fn task_by<Run, Operation, Answer>(
        run: Run,
        operation: Operation,
    ) -> Body
    where
        Run: Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Clone + 'static,
        Operation: Fn() -> Answer + Clone + Send + 'static,
        Answer: Future<Output: Reply> + Send + 'static,
    {
        Body::new(move || {
            // So that its threads are started before the cell is pinned.
            run(Box::pin(async {}));
            TaskBy { run: run.clone(), operation: operation.clone() }
        })
    }

    /// In a task that stays on its thread, of an executor that has a thread of
    /// its own and is shared by all cells of the process. The operations are
    /// awaited one after the other.
    pub fn local_task<Operation, Answer>(
        executor: LocalExecutor,
        operation: Operation,
    ) -> Body
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
        Answer: Future<Output: Reply> + 'static,
    {
        Body::fallible(move || {
            executor.start()?;
            Ok(Box::new(LocalTask { executor, operation: operation.clone() }))
        })
    }

    /// In a task, with a state that is set up for each visit, in a task of the
    /// same executor: sockets and other tasks, for instance. Each operation is
    /// given the state and returns it beside its answer. After the visit
    /// `take_down` gets it, so that nothing of it disturbs the next one.
    pub fn task_with<State, SetUp, Ready, Operation, Answer, TakeDown, Gone>(
        executor: Executor,
        set_up: SetUp,
        operation: Operation,
        take_down: TakeDown,
    ) -> Body
    where
        State: Send + 'static,
        SetUp: Fn() -> Ready + Clone + Send + 'static,
        Ready: Future<Output = State> + Send + 'static,
        Operation: Fn(State) -> Answer + Clone + Send + 'static,
        Answer: Future<Output = (State, u64)> + Send + 'static,
        TakeDown: Fn(State) -> Gone + Clone + Send + 'static,
        Gone: Future<Output = ()> + Send + 'static,
    {
        let start = move || {
            executor.start()?;
            let kept = Anywhere::default();
            let stages = (set_up.clone(), operation.clone(), take_down.clone());
            let batch = Staged::new(move |turn| {
                executor.run(Box::pin(staged(
                    turn,
                    kept.clone(),
                    stages.clone(),
                )))
            });
            Ok(Box::new(batch) as Box<dyn Batch>)
        };
        Body::fallible(start).for_each_visit()
    }

    /// The same in a task that stays on its thread, as the state does.
    pub fn local_task_with<
        State,
        SetUp,
        Ready,
        Operation,
        Answer,
        TakeDown,
        Gone,
    >(
        executor: LocalExecutor,
        set_up: SetUp,
        operation: Operation,
        take_down: TakeDown,
    ) -> Body
    where
        State: 'static,
        SetUp: Fn() -> Ready + Clone + Send + 'static,
        Ready: Future<Output = State> + 'static,
        Operation: Fn(State) -> Answer + Clone + Send + 'static,
        Answer: Future<Output = (State, u64)> + 'static,
        TakeDown: Fn(State) -> Gone + Clone + Send + 'static,
        Gone: Future<Output = ()> + 'static,
    {
        let start = move || {
            executor.start()?;
            let kept = OnItsThread::new();
            let stages = (set_up.clone(), operation.clone(), take_down.clone());
            let batch = Staged::new(move |turn| {
                let stages = stages.clone();
                executor
                    .run(Box::new(move || Box::pin(staged(turn, kept, stages))))
            });
            Ok(Box::new(batch) as Box<dyn Batch>)
        };
        Body::fallible(start).for_each_visit()
    }

    /// The same, started anew for each visit and dropped after it, rather than
    /// once in each process: where what it sets up would disturb other cells.
    pub fn for_each_visit(self) -> Body {
        Body { for_each_visit: true, ..self }
    }

    /// On so many long-lived threads at once, `pinned` to a core each or wherever
    /// the kernel puts them. `start` is called once in each process. The first
    /// that it returns is what each thread does in an operation, told its place:
    /// all begin at the same moment. The second follows once all have ended, is
    /// given the sum of what they returned, and returns the answer. The time is
    /// that from the first beginning to this end.
    pub fn together<Start, Work, Finish>(
        threads: usize,
        pinned: bool,
        start: Start,
    ) -> Body
    where
        Start: Fn() -> (Work, Finish) + 'static,
        Work: Fn(usize) -> u64 + Send + Sync + 'static,
        Finish: Fn(u64) -> u64 + Send + Sync + 'static,
    {
        Body::fallible(move || {
            let crew = Members { threads, pinned };
            // So that it is started off the clock, or found that it cannot be.
            crew.work(Arc::new(|_| 0), Arc::new(|_| 0))?;
            let (work, finish) = start();
            let (work, finish) = (Arc::new(work), Arc::new(finish));
            Ok(Box::new(Here(move || {
                crew.work(work.clone(), finish.clone())
                    .expect("the threads could be pinned before")
            })))
        })
    }

    /// Through criterion's own `to_async`, on a multi-thread Tokio runtime: the
    /// operations run on the harness's thread, in `block_on`. To show what that
    /// measures; to measure a task, use [`Body::task`].
    pub fn to_async<Operation, Answer>(operation: Operation) -> Body
    where
        Operation: Fn() -> Answer + Clone + 'static,
        Answer: Future<Output = u64> + 'static,
    {
        Body::fallible(move || {
            Executor::TokioMultiThread.start()?;
            Ok(Box::new(ToAsync(operation.clone())))
        })
    }

    /// The same *from idle*: everything rests for a millisecond before each
    /// operation, so that its cost includes waking what has gone to sleep. The
    /// thread that starts the operation has just been woken itself.
    pub fn from_idle(self) -> Body {
        self.within(FromIdle)
    }

    /// The same, and after each batch, off the clock, `settle`: waits for what
    /// the operations leave behind, which would disturb the next visit.
    pub fn and_then(self, settle: impl Fn() + Copy + 'static) -> Body {
        self.within(move |batch| AndThen(batch, settle))
    }

    /// The same with something around each batch.
    fn within<B: Batch + 'static>(
        self,
        around: impl Fn(Box<dyn Batch>) -> B + 'static,
    ) -> Body {
        let for_each_visit = self.for_each_visit;
        let start = move || Ok(Box::new(around(self.start()?)) as _);
        Body { for_each_visit, ..Body::fallible(start) }
    }

    /// # Errors
    ///
    /// If it cannot run here, with the reason.
    pub(crate) fn start(&self) -> Result<Box<dyn Batch>, String> {
        (self.start)()
    }

    /// Whether it is started for each visit, not for each process.
    pub(crate) fn is_for_each_visit(&self) -> bool {
        self.for_each_visit
    }
}

/// The time of a batch: by the stopwatch around it, or by the operations' own
/// clocks.
#[derive(Clone, Copy)]
struct Tally {
    answers: Answers,
    own: Option<Duration>,
}

impl Tally {
    const NONE: Tally = Tally { answers: Answers::NONE, own: None };

    fn note(&mut self, reply: impl Reply) {
        let (took, answer) = reply.parts();
        self.answers.note(answer);
        if let Some(took) = took {
            self.own = Some(self.own.unwrap_or_default() + took);
        }
    }

    /// The lead-in is off the clock, its answer counts.
    fn after_lead_in(self) -> Tally {
        Tally { own: None, ..self }
    }

    fn stop(self, stopwatch: Stopwatch) -> Timed {
        let timed = stopwatch.stop(self.answers);
        Timed { elapsed: self.own.unwrap_or(timed.elapsed), ..timed }
    }
}

struct Here<Operation>(Operation);

impl<Operation: FnMut() -> R, R: Reply> Batch for Here<Operation> {
    fn run(&mut self, operations: u64) -> Timed {
        let mut tally = Tally::NONE;
        if operations > 1 {
            tally.note(black_box((self.0)()));
            tally = tally.after_lead_in();
        }
        let stopwatch = Stopwatch::start();
        for _ in 0..operations {
            tally.note(black_box((self.0)()));
        }
        tally.stop(stopwatch)
    }
}

/// A state that is taken down when this is dropped.
struct TakenDown<State, TakeDown: Fn(State)>(Option<State>, TakeDown);

impl<State, TakeDown: Fn(State)> Drop for TakenDown<State, TakeDown> {
    fn drop(&mut self) {
        self.0.take().map(&self.1);
    }
}

struct Inside<Enter, Operation> {
    enter: Enter,
    operation: Here<Operation>,
}

impl<Enter, Operation, R> Batch for Inside<Enter, Operation>
where
    Enter: Fn(&mut (dyn FnMut() + Send)),
    Operation: FnMut() -> R + Send,
    R: Reply,
{
    fn run(&mut self, operations: u64) -> Timed {
        let mut timed = None;
        (self.enter)(&mut || timed = Some(self.operation.run(operations)));
        timed.expect("`enter` runs the batch")
    }
}

/// The batch of every task.
async fn on_the_clock<Operation, Answer>(
    operation: Operation,
    operations: u64,
) -> Timed
where
    Operation: Fn() -> Answer,
    Answer: Future<Output: Reply>,
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

struct Task<Operation> {
    executor: Executor,
    operation: Operation,
}

impl<Operation, Answer> Batch for Task<Operation>
where
    Operation: Fn() -> Answer + Clone + Send + 'static,
    Answer: Future<Output: Reply> + Send + 'static,
{
    fn run(&mut self, operations: u64) -> Timed {
        let batch = on_the_clock(self.operation.clone(), operations);
        self.executor.run(Box::pin(batch))
    }
}

/// Dropping it waits until the runtime's threads have ended.
struct TaskForAVisit<Operation> {
    runtime: Runtime,
    operation: Operation,
}

impl<Operation, Answer> Batch for TaskForAVisit<Operation>
where
    Operation: Fn() -> Answer + Clone + Send + 'static,
    Answer: Future<Output: Reply> + Send + 'static,
{
    fn run(&mut self, operations: u64) -> Timed {
        let batch = on_the_clock(self.operation.clone(), operations);
        executor::run_on(&self.runtime, batch)
    }
}

struct TaskBy<Run, Operation> {
    run: Run,
    operation: Operation,
}

impl<Run, Operation, Answer> Batch for TaskBy<Run, Operation>
where
    Run: Fn(Pin<Box<dyn Future<Output = ()> + Send>>),
    Operation: Fn() -> Answer + Clone + Send + 'static,
    Answer: Future<Output: Reply> + Send + 'static,
{
    fn run(&mut self, operations: u64) -> Timed {
        let batch = on_the_clock(self.operation.clone(), operations);
        let (done, outcome) = mpsc::channel();
        (self.run)(Box::pin(async move {
            let _ = done.send(batch.await);
        }));
        outcome.recv().expect("`run` runs the batch")
    }
}

struct LocalTask<Operation> {
    executor: LocalExecutor,
    operation: Operation,
}

impl<Operation, Answer> Batch for LocalTask<Operation>
where
    Operation: Fn() -> Answer + Clone + Send + 'static,
    Answer: Future<Output: Reply> + 'static,
{
    fn run(&mut self, operations: u64) -> Timed {
        let operation = self.operation.clone();
        self.executor.run(Box::new(move || {
            Box::pin(on_the_clock(operation, operations))
        }))
    }
}

/// What a task is to do with the state of a visit.
#[derive(Clone, Copy)]
enum Turn {
    SetUp,
    Run(u64),
    TakeDown,
}

/// A task that takes its turn with the state of a visit, which is kept between
/// the turns. The time is that of the operations, and none where there are none.
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
            // A panic has taken it along.
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

/// A batch with a state, which is set up when it is made and taken down when it
/// is dropped.
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

struct ToAsync<Operation>(Operation);

impl<Operation, Answer> Batch for ToAsync<Operation>
where
    Operation: Fn() -> Answer,
    Answer: Future<Output = u64>,
{
    fn run(&mut self, operations: u64) -> Timed {
        executor::tokio().block_on(on_the_clock(&self.0, operations))
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
        bencher.to_async(executor::tokio()).iter(|| async {
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

struct FromIdle(Box<dyn Batch>);

impl Batch for FromIdle {
    fn run(&mut self, operations: u64) -> Timed {
        let once = || {
            std::thread::sleep(REST);
            self.0.run(1)
        };
        std::iter::repeat_with(once)
            .take(operations as usize)
            .reduce(Timed::and)
            .expect("a batch has an operation")
    }
}

struct AndThen<Settle>(Box<dyn Batch>, Settle);

impl<Settle: Fn()> Batch for AndThen<Settle> {
    fn run(&mut self, operations: u64) -> Timed {
        let timed = self.0.run(operations);
        (self.1)();
        timed
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A body that counts its operations, and the count.
    fn counting() -> (Body, &'static Cell<u64>) {
        let count: &Cell<u64> = Box::leak(Box::default());
        let operation = move || {
            count.set(count.get() + 1);
            1
        };
        (Body::here(move || operation), count)
    }

    #[test]
    fn a_steady_batch_has_a_lead_in_off_the_clock() {
        let (body, count) = counting();
        let mut batch = body.start().unwrap();
        batch.run(1).checked(1).unwrap();
        assert_eq!(count.get(), 1);
        batch.run(10).checked(1).unwrap();
        assert_eq!(count.get(), 12);
    }

    #[test]
    fn an_operation_may_have_a_clock_of_its_own() {
        let (part, whole) =
            (Duration::from_nanos(7), Duration::from_micros(100));
        let operation = move || {
            std::thread::sleep(whole);
            (part, 1)
        };
        let bodies = [
            Body::self_timed(move || operation),
            Body::inside(|batch| batch(), operation),
            Body::task(Executor::TokioCurrentThread, move || async move {
                operation()
            }),
            Body::task_by(
                executor::wait_for,
                move || async move { operation() },
            ),
            Body::task_for_each_visit(move || async move { operation() }),
        ];
        for body in bodies {
            let timed = body.start().unwrap().run(10).checked(1).unwrap();
            assert_eq!(timed.elapsed, 10 * part);
        }
    }

    #[test]
    fn threads_together_give_one_answer_and_one_time() {
        let body = Body::together(2, false, || {
            let work = |place| {
                std::thread::sleep(Duration::from_millis(place as u64));
                place as u64
            };
            (work, |sum| 10 * sum)
        });
        let timed = body.start().unwrap().run(3).checked(10).unwrap();
        assert!(timed.elapsed >= Duration::from_millis(3));
    }

    #[test]
    fn from_idle_everything_rests_before_each_operation_off_the_clock() {
        let (body, count) = counting();
        let mut batch = body.from_idle().start().unwrap();
        let began = std::time::Instant::now();
        let timed = batch.run(5).checked(1).unwrap();
        assert_eq!(count.get(), 5);
        assert!(began.elapsed() - timed.elapsed >= 5 * REST);
    }

    #[test]
    fn an_executor_that_a_panic_took_along_is_started_anew() {
        let current_thread = Executor::TokioCurrentThread;
        let local_set = LocalExecutor::TokioLocalSet;
        async fn panics() -> u64 {
            panic!("of a test")
        }
        let siblings = [
            (
                Body::task(current_thread, || async { 1 }),
                Body::task(current_thread, panics),
            ),
            (
                Body::local_task(local_set, || async { 1 }),
                Body::local_task(local_set, panics),
            ),
        ];
        for (good, bad) in siblings {
            let (mut good, mut bad) =
                (good.start().unwrap(), bad.start().unwrap());
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
        let body = Body::task(Executor::Smol, move || async move {
            // It needs a moment to go to sleep.
            std::thread::sleep(Duration::from_millis(50));
            waits_in(harness).unwrap_or_default()
        });
        body.start().unwrap().run(1).checked(FUTEX).unwrap();
    }

    #[test]
    fn a_panic_on_smol_goes_on_in_the_harness() {
        async fn panics() -> u64 {
            panic!("of a test")
        }
        let mut bad = Body::task(Executor::Smol, panics).start().unwrap();
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
        let body = Body::task_for_each_visit(|| async {
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
        assert!(body.is_for_each_visit());
        let mut batch = body.start().unwrap();
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

    #[test]
    fn what_is_left_behind_is_settled_after_each_batch() {
        let (body, count) = counting();
        let mut batch = body.and_then(|| count.set(0)).start().unwrap();
        batch.run(10).checked(1).unwrap();
        assert_eq!(count.get(), 0);
    }
}
