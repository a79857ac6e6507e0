//! Tasks with a state that lives for a visit.

use std::future::Future;
use std::hint::black_box;

use runtimes::{LocalRuntime, Runtime};

use crate::batch::Batch;
use crate::stopwatch::{Answers, Stopwatch, Timed};
use crate::task_executor::{outcome_of, reported};
use crate::visit_state::{Anywhere, Keep, OnItsThread};

/// What is done with a state, in three tasks of a runtime.
#[derive(Debug, Clone)]
pub struct Stages<SetUp, Operation, TakeDown> {
    /// Makes it, before the visit.
    pub set_up: SetUp,
    /// Does something with it, in the visit.
    pub operation: Operation,
    /// Gets it after the visit.
    pub take_down: TakeDown,
}

/// What runs tasks with a state: every runtime for which futures of these types may
/// be its tasks.
pub trait StagedExecutor<State, Ready, Answer, Gone>: Copy + 'static {
    /// Starts it, if it does not run already, and sets the state up.
    ///
    /// # Errors
    ///
    /// If it cannot be started here, with the reason.
    fn prepare<SetUp, Operation, TakeDown>(
        self,
        stages: Stages<SetUp, Operation, TakeDown>,
    ) -> Result<Box<dyn Batch>, String>
    where
        SetUp: Fn() -> Ready + Clone + Send + 'static,
        Operation: Fn(State) -> Answer + Clone + Send + 'static,
        TakeDown: Fn(State) -> Gone + Clone + Send + 'static;
}

impl<State, Ready, Answer, Gone> StagedExecutor<State, Ready, Answer, Gone>
    for Runtime
where
    State: Send + 'static,
    Ready: Future<Output = State> + Send + 'static,
    Answer: Future<Output = (State, u64)> + Send + 'static,
    Gone: Future<Output = ()> + Send + 'static,
{
    fn prepare<SetUp, Operation, TakeDown>(
        self,
        stages: Stages<SetUp, Operation, TakeDown>,
    ) -> Result<Box<dyn Batch>, String>
    where
        SetUp: Fn() -> Ready + Clone + Send + 'static,
        Operation: Fn(State) -> Answer + Clone + Send + 'static,
        TakeDown: Fn(State) -> Gone + Clone + Send + 'static,
    {
        self.start()?;
        let kept = Anywhere::default();
        Ok(Box::new(Staged::new(move |turn| {
            let task = staged(turn, kept.clone(), stages.clone());
            outcome_of(|done| self.run(Box::pin(reported(task, done))))
        })))
    }
}

impl<State, Ready, Answer, Gone> StagedExecutor<State, Ready, Answer, Gone>
    for LocalRuntime
where
    State: 'static,
    Ready: Future<Output = State> + 'static,
    Answer: Future<Output = (State, u64)> + 'static,
    Gone: Future<Output = ()> + 'static,
{
    fn prepare<SetUp, Operation, TakeDown>(
        self,
        stages: Stages<SetUp, Operation, TakeDown>,
    ) -> Result<Box<dyn Batch>, String>
    where
        SetUp: Fn() -> Ready + Clone + Send + 'static,
        Operation: Fn(State) -> Answer + Clone + Send + 'static,
        TakeDown: Fn(State) -> Gone + Clone + Send + 'static,
    {
        self.start()?;
        let kept = OnItsThread::new();
        Ok(Box::new(Staged::new(move |turn| {
            let stages = stages.clone();
            outcome_of(|done| {
                self.run(Box::new(move || {
                    Box::pin(reported(staged(turn, kept, stages), done))
                }));
            })
        })))
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
    stages: Stages<SetUp, Operation, TakeDown>,
) -> Timed
where
    SetUp: Fn() -> Ready,
    Ready: Future<Output = State>,
    Operation: Fn(State) -> Answer,
    Answer: Future<Output = (State, u64)>,
    TakeDown: Fn(State) -> Gone,
    Gone: Future<Output = ()>,
{
    let Stages { set_up, operation, take_down } = stages;
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
