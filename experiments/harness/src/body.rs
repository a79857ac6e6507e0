//! The operations of a benchmark, and the thread or runtime on which they
//! run.

use std::future::Future;
use std::hint::black_box;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::batch::{Batch, Returned, Started, Tally};
use crate::stopwatch::{Stopwatch, Timed};
use crate::task_executor::{StagedExecutor, TaskExecutor};
use crate::thread_crew::Members;

/// A benchmark's operations, and the thread or runtime on which they run.
///
/// By default, a batch is *steady*: it measures the cost in a running
/// program, not the cost of the first use. A batch of several operations runs
/// one extra operation before the clock starts. A batch of one operation,
/// which takes longer than a sample, directly follows the previous batch.
///
/// An operation returns its answer and, optionally, a time that it measured
/// itself ([`Returned`]).
pub struct Body {
    start: Box<dyn Fn() -> Started>,
    for_each_visit: bool,
}

impl Body {
    fn new(start: impl Fn() -> Started + 'static) -> Body {
        Body { start: Box::new(start), for_each_visit: false }
    }

    /// Creates a body whose operations run on the harness's own thread.
    /// `start` is called once per process. It sets up whatever the operations
    /// share, and returns the operation.
    pub fn here<Operation, R>(start: impl Fn() -> Operation + 'static) -> Body
    where
        Operation: FnMut() -> R + 'static,
        R: Returned + 'static,
    {
        Body::new(move || Ok(Box::new(Here(start()))))
    }

    /// Creates a body whose batches run wherever `enter` calls its argument,
    /// for example on a worker of a thread pool: `|batch| rayon::scope(|_|
    /// batch())`. The time that `enter` needs to get there is not measured.
    pub fn inside<R: Returned + 'static>(
        enter: impl Fn(&mut (dyn FnMut() + Send)) + Clone + 'static,
        operation: impl FnMut() -> R + Clone + Send + 'static,
    ) -> Body {
        Body::new(move || {
            // The first call of `enter` may start a thread pool. This has to
            // happen before the process is pinned to a core.
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

    /// Creates a body that runs on `threads` long-lived threads at once, each
    /// `pinned` to a core or placed by the kernel. `start` is called once per
    /// process and returns two functions. Each thread calls the first one
    /// with its index, and all of them start at the same moment. When all
    /// have finished, the second one gets the sum of their results and
    /// returns the answer. The time is measured from the first start to the
    /// end of the second function.
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
            // Starts the threads before timing begins, to find out whether
            // they can be started and pinned.
            crew.work(Arc::new(|_| 0), Arc::new(|_| 0))?;
            let (work, finish) = start();
            let (work, finish) = (Arc::new(work), Arc::new(finish));
            Ok(Box::new(Here(move || {
                crew.work(work.clone(), finish.clone())
                    .expect("the threads could be pinned before")
            })))
        })
    }

    /// Creates a body whose operations run in a task of an executor: one of
    /// [`runtimes`], which all benchmarks of the process share,
    /// [`FreshTokio`](crate::FreshTokio) or [`ToAsync`](crate::ToAsync). The
    /// operations are awaited one after the other.
    pub fn task<On: TaskExecutor<Answer>, Answer: Future<Output: Returned>>(
        on: On,
        operation: impl Fn() -> Answer + Clone + Send + 'static,
    ) -> Body {
        let body = Body::new(move || on.prepare(operation.clone()));
        Body { for_each_visit: On::FOR_EACH_VISIT, ..body }
    }

    /// Creates a body whose operations run in a task and share a state, such
    /// as sockets and other tasks. The state is set up for each visit (a
    /// criterion run), in a task of the same executor. Each operation gets
    /// the state and returns it with the answer. After the visit, `take_down`
    /// gets the state, so that nothing is left to disturb the next visit.
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

    /// Starts the body again for each visit (a criterion run) instead of once
    /// per process. This is for bodies that would otherwise disturb other
    /// benchmarks.
    pub fn for_each_visit(self) -> Body {
        Body { for_each_visit: true, ..self }
    }

    /// Calls `settle` after each batch, when the clock has stopped. `settle`
    /// waits until the operations have left nothing behind that would disturb
    /// other benchmarks.
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

    pub(crate) fn is_for_each_visit(&self) -> bool {
        self.for_each_visit
    }
}

/// Runs batches of operations on the harness's thread. This is a type instead
/// of a closure because it affects how the compiler lays out a loop of less
/// than 2 ns, and existing data were measured with the type.
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

/// Holds a state, and passes it to a function when this value is dropped.
pub struct Held<State, TakeDown: Fn(State)> {
    state: Option<State>,
    take_down: TakeDown,
}

impl<State, TakeDown: Fn(State)> Held<State, TakeDown> {
    /// Holds `state` until this value is dropped, and then passes it to
    /// `take_down`.
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
