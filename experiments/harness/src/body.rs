//! Where an operation runs, and the clock around it.

use std::future::Future;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

/// What a cell does, and on which thread.
///
/// Each batch is *steady*: what is measured is the cost in a program that is at work, not that of its
/// first use. A batch of several operations runs one more before the clock starts; a batch of one is
/// an operation longer than a sample, and follows directly on the one before it.
pub struct Body(Box<dyn Fn() -> Box<dyn Batch>>);

/// A started body: lives as long as its process.
pub(crate) trait Batch {
    /// Runs `operations` on the clock, after the untimed lead-in.
    fn run(&mut self, operations: u64) -> Timed;
}

/// A batch's time and its answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timed {
    elapsed: Duration,
    answers: Answers,
}

impl Timed {
    /// The time, if every operation gave the expected answer.
    pub(crate) fn answer(self, expected: u64) -> Result<Duration, String> {
        let Answers { any, all } = self.answers;
        if any == expected && all == expected {
            return Ok(self.elapsed);
        }
        // Where answers differ, no single wrong one is known.
        let found = if any == all {
            any.to_string()
        } else {
            "different answers".to_owned()
        };
        Err(format!(
            "the operations returned {found}, the right answer is {expected}"
        ))
    }
}

/// The bits that any answer had, and those that all had: both are the answer if all were the same.
/// Two instructions on the clock, and no branch.
#[derive(Debug, Clone, Copy)]
struct Answers {
    any: u64,
    all: u64,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers { any: 0, all: u64::MAX }
    }
}

impl Answers {
    fn note(&mut self, answer: u64) {
        self.any |= answer;
        self.all &= answer;
    }
}

impl Body {
    /// On the harness's own thread. `start` is called once in each process, and may set up what all
    /// operations use; what it returns is the operation.
    pub fn here<Operation>(start: impl Fn() -> Operation + 'static) -> Body
    where
        Operation: FnMut() -> u64 + 'static,
    {
        Body(Box::new(move || Box::new(Here(start()))))
    }

    /// Wherever `enter` takes a batch, for instance onto a worker of a thread
    /// pool: `|batch| rayon::scope(|_| batch())`. The clock runs in there.
    pub fn inside<Enter, Operation>(enter: Enter, operation: Operation) -> Body
    where
        Enter: Fn(&mut (dyn FnMut() + Send)) + Clone + 'static,
        Operation: FnMut() -> u64 + Clone + Send + 'static,
    {
        Body(Box::new(move || {
            let (enter, operation) = (enter.clone(), operation.clone());
            Box::new(Inside { enter, operation: Here(operation) })
        }))
    }

    /// In a task on a worker of a multi-thread Tokio runtime, which has a worker for each core and
    /// is shared by all cells of the process. The operations are awaited one after the other.
    pub fn tokio_worker<Operation, Answer>(operation: Operation) -> Body
    where
        Operation: Fn() -> Answer + Clone + Send + 'static,
        Answer: Future<Output = u64> + Send + 'static,
    {
        Body(Box::new(move || Box::new(TokioWorker(operation.clone()))))
    }

    pub(crate) fn start(&self) -> Box<dyn Batch> {
        (self.0)()
    }
}

struct Here<Operation>(Operation);

impl<Operation: FnMut() -> u64> Batch for Here<Operation> {
    fn run(&mut self, operations: u64) -> Timed {
        let mut answers = Answers::default();
        if operations > 1 {
            answers.note(black_box((self.0)()));
        }
        let start = Instant::now();
        for _ in 0..operations {
            answers.note(black_box((self.0)()));
        }
        Timed { elapsed: start.elapsed(), answers }
    }
}

struct Inside<Enter, Operation> {
    enter: Enter,
    operation: Here<Operation>,
}

impl<Enter, Operation> Batch for Inside<Enter, Operation>
where
    Enter: Fn(&mut (dyn FnMut() + Send)),
    Operation: FnMut() -> u64 + Send,
{
    fn run(&mut self, operations: u64) -> Timed {
        let mut timed = None;
        (self.enter)(&mut || timed = Some(self.operation.run(operations)));
        timed.expect("`enter` runs the batch")
    }
}

static TOKIO: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("a Tokio runtime can be built"));

struct TokioWorker<Operation>(Operation);

impl<Operation, Answer> Batch for TokioWorker<Operation>
where
    Operation: Fn() -> Answer + Clone + Send + 'static,
    Answer: Future<Output = u64> + Send + 'static,
{
    fn run(&mut self, operations: u64) -> Timed {
        let operation = self.0.clone();
        let batch = TOKIO.spawn(async move {
            let mut answers = Answers::default();
            if operations > 1 {
                answers.note(black_box(operation().await));
            }
            let start = Instant::now();
            for _ in 0..operations {
                answers.note(black_box(operation().await));
            }
            Timed { elapsed: start.elapsed(), answers }
        });
        match TOKIO.block_on(batch) {
            Ok(timed) => timed,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}
