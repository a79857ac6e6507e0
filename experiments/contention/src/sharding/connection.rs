//! A connection: a task that requests one key after another.

use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;
use std::time::Instant;

use harness::work::work;
use hdrhistogram::Histogram;

use super::requests::{Mix, Request};

/// One of every `STAMPED` operations is timed. Reading the clock more often
/// would slow down the other operations.
const STAMPED: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Load {
    pub(super) mix: Mix,
    pub(super) in_flight: usize,
    /// The number of rounds of work before each operation.
    pub(super) rounds: u64,
    pub(super) phase: Arc<Phase>,
}

/// The phase of a measurement: before, during or after the counting of
/// operations. It has its own cache line, because all tasks read it
/// constantly.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Phase(AtomicU8);

impl Phase {
    const COUNTING: u8 = 1;
    const OVER: u8 = 2;

    /// Starts counting operations.
    pub(super) fn count(&self) {
        self.0.store(Phase::COUNTING, Ordering::Relaxed);
    }

    /// Ends the measurement. Connections begin no further operations.
    pub(super) fn end(&self) {
        self.0.store(Phase::OVER, Ordering::Relaxed);
    }
}

/// A map as seen by the tasks of one core.
pub(super) trait Map {
    type Error: Debug;

    async fn get(&self, key: u32) -> Result<Option<u64>, Self::Error>;

    async fn add(&self, key: u32) -> Result<Option<u64>, Self::Error>;

    /// Lets other tasks run if this task has run for a long time.
    async fn give_way(&self);
}

#[derive(Debug, Clone)]
pub(super) struct Done {
    /// The number of operations that began during the counting phase.
    pub(super) answered: u64,
    /// The number of additions, including those that began outside the
    /// counting phase.
    pub(super) added: u64,
    /// The latency of each timed operation in nanoseconds, from the end of
    /// the operation's work until its answer arrives.
    pub(super) latencies: Histogram<u64>,
}

impl Done {
    pub(super) fn nothing() -> Done {
        let latencies = Histogram::new(3).expect("three digits are allowed");
        Done { answered: 0, added: 0, latencies }
    }
}

/// Requests keys until the measurement ends. The first request is number
/// `first`.
///
/// # Errors
///
/// If a key has no value, or a request gets no answer.
pub(super) async fn ask(
    map: Rc<impl Map>,
    requests: Rc<[Request]>,
    first: usize,
    load: Load,
    done: Rc<RefCell<Done>>,
) -> Result<(), String> {
    let (mut answered, mut added) = (0, 0);
    let requests = requests.iter().cycle().skip(first);
    for (turn, &request) in requests.enumerate() {
        let phase = load.phase.0.load(Ordering::Relaxed);
        if phase == Phase::OVER {
            break;
        }
        work(load.rounds);
        let counts = phase == Phase::COUNTING;
        let stamp = (counts && turn % STAMPED == 0).then(Instant::now);
        let value = match request {
            Request::Get(key) => map.get(key).await,
            Request::Add(key) => map.add(key).await,
        };
        if let Some(began) = stamp {
            let latency = began.elapsed().as_nanos() as u64;
            done.borrow_mut().latencies += latency;
        }
        match value {
            Ok(Some(_)) => {}
            Ok(None) => return Err(format!("{request:?}: it has no value")),
            Err(error) => return Err(format!("{request:?}: {error:?}")),
        }
        answered += u64::from(counts);
        added += u64::from(matches!(request, Request::Add(_)));
        map.give_way().await;
    }
    let mut done = done.borrow_mut();
    done.answered += answered;
    done.added += added;
    Ok(())
}
