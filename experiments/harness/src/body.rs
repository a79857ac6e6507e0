//! What a cell does, and on which thread.

use std::future::Future;
use std::hint::black_box;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::batch::{Batch, Returned, Started, Tally};
use crate::stopwatch::{Stopwatch, Timed};
use crate::task_executor::{StagedExecutor, TaskExecutor};
use crate::thread_crew::Members;

/// What a cell does, and on which thread.
///
/// A batch is *steady* unless told otherwise: what is measured is the cost in a
/// program that is at work, not that of its first use. A batch of several
/// operations runs one more before the clock starts; a batch of one is an
/// operation longer than a sample, and follows directly on the one before it.
///
/// An operation returns its answer, or the time that it took by its own clock
/// beside the answer ([`Returned`]).
pub struct Body {
    start: Box<dyn Fn() -> Started>,
    for_each_visit: bool,
}

impl Body {
    fn new(start: impl Fn() -> Started + 'static) -> Body {
        Body { start: Box::new(start), for_each_visit: false }
    }

    /// On the harness's own thread. `start` is called once in each process, and
    /// may set up what all operations use; what it returns is the operation.
    pub fn here<Operation, R>(start: impl Fn() -> Operation + 'static) -> Body
    where
        Operation: FnMut() -> R + 'static,
        R: Returned + 'static,
    {
        Body::new(move || Ok(Box::new(Here(start()))))
    }

    /// Wherever `enter` takes a batch, for instance onto a worker of a thread
    /// pool: `|batch| rayon::scope(|_| batch())`. The clock runs in there.
    pub fn inside<R: Returned + 'static>(
        enter: impl Fn(&mut (dyn FnMut() + Send)) + Clone + 'static,
        operation: impl FnMut() -> R + Clone + Send + 'static,
    ) -> Body {
        Body::new(move || {
            // So that a pool is started before the cell is pinned to a core.
            enter(&mut || ());
            let (enter, mut operation) =
                (enter.clone(), Here(operation.clone()));
            Ok(Box::new(move |operations| {
                let mut timed = None;
                enter(&mut || timed = Some(operation.run(operations)));
                timed.expect("`enter` runs the batch")
            }))
        })
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
        Body::new(move || {
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

    /// In a task of an executor: of one of [`runtimes`], which all cells of the
    /// process share, or of [`FreshTokio`](crate::FreshTokio) or
    /// [`ToAsync`](crate::ToAsync). The operations are awaited one after the
    /// other.
    pub fn task<On: TaskExecutor<Answer>, Answer: Future<Output: Returned>>(
        on: On,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Body {
        let body = Body::new(move || on.prepare(operation.clone()));
        Body { for_each_visit: On::FOR_EACH_VISIT, ..body }
    }

    /// In a task, with a state that is set up for each visit, in a task of the
    /// same executor: sockets and other tasks, for instance. Each operation is
    /// given the state and returns it beside its answer. After the visit
    /// `take_down` gets it, so that nothing of it disturbs the next one.
    pub fn task_with<State, Ready, Answer, Gone>(
        on: impl StagedExecutor<State, Ready, Answer, Gone>,
        set_up: impl Fn() -> Ready + Clone + Send + 'static,
        operation: impl Fn(State) -> Answer + Clone + Send + 'static,
        take_down: impl Fn(State) -> Gone + Clone + Send + 'static,
    ) -> Body
    where
        Ready: Future<Output = State>,
        Answer: Future<Output = (State, u64)>,
        Gone: Future<Output = ()>,
    {
        let stages = (set_up, operation, take_down);
        let start = move || {
            let (set_up, operation, take_down) = stages.clone();
            on.prepare_staged(set_up, operation, take_down)
        };
        Body::new(start).for_each_visit()
    }

    /// The same, started anew for each visit and dropped after it, rather than
    /// once in each process: where what it sets up would disturb other cells.
    pub fn for_each_visit(self) -> Body {
        Body { for_each_visit: true, ..self }
    }

    /// The same, and after each batch, off the clock, `settle`: waits for what
    /// the operations leave behind, which would disturb the next visit.
    pub fn and_then(self, settle: impl Fn() + Copy + 'static) -> Body {
        let for_each_visit = self.for_each_visit;
        let body = Body::new(move || {
            let mut batch = self.start()?;
            Ok(Box::new(move |operations| {
                let timed = batch.run(operations);
                settle();
                timed
            }))
        });
        Body { for_each_visit, ..body }
    }

    pub(crate) fn start(&self) -> Started {
        (self.start)()
    }

    /// Whether it is started for each visit, not for each process.
    pub(crate) fn is_for_each_visit(&self) -> bool {
        self.for_each_visit
    }
}

/// The batch of every operation on a thread. A type and no closure: how the compiler lays out a loop of
/// under 2 ns depends on it, and data have been measured with this one.
struct Here<Operation>(Operation);

impl<Operation: FnMut() -> R, R: Returned> Batch for Here<Operation> {
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
pub struct Held<State, TakeDown: Fn(State)> {
    state: Option<State>,
    take_down: TakeDown,
}

impl<State, TakeDown: Fn(State)> Held<State, TakeDown> {
    /// Holds it.
    pub fn new(state: State, take_down: TakeDown) -> Self {
        Held { state: Some(state), take_down }
    }
}

impl<State, TakeDown: Fn(State)> Deref for Held<State, TakeDown> {
    type Target = State;

    fn deref(&self) -> &State {
        self.state.as_ref().expect("it is taken last")
    }
}

impl<State, TakeDown: Fn(State)> DerefMut for Held<State, TakeDown> {
    fn deref_mut(&mut self) -> &mut State {
        self.state.as_mut().expect("it is taken last")
    }
}

impl<State, TakeDown: Fn(State)> Drop for Held<State, TakeDown> {
    fn drop(&mut self) {
        self.state.take().map(&self.take_down);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use runtimes::tokio::{CURRENT_THREAD, LOCAL_SET};

    use super::*;
    use crate::task_executor::FreshTokio;

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
        for (operations, count_then) in [(1, 1), (10, 12)] {
            batch.run(operations).checked(1).unwrap();
            assert_eq!(count.get(), count_then);
        }
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
            Body::here(move || operation),
            Body::inside(|batch| batch(), operation),
            Body::task(CURRENT_THREAD, move || async move { operation() }),
            Body::task(LOCAL_SET, move || async move { operation() }),
            Body::task(FreshTokio, move || async move { operation() }),
        ];
        for body in bodies {
            let timed = body.start().unwrap().run(10).checked(1).unwrap();
            assert_eq!(timed.elapsed, 10 * part);
        }
    }

    #[test]
    fn it_settles_after_the_batch() {
        let (body, count) = counting();
        let settled = body.and_then(|| count.set(10 * count.get()));
        settled.start().unwrap().run(5).checked(1).unwrap();
        assert_eq!(count.get(), 60);
    }
}
