//! Parallel lines, one for each byte in flight. In a single line, one byte
//! could catch up with another. A unit that finds two bytes passes both on
//! without a switch in between.
//!
//! Each line has a head: a thread or task that, at a start signal, sends a
//! byte through its line several times. The last head to finish reports the
//! result. The measured time includes this report, which is one wake-up for
//! every [`HOPS`] hops or more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use smol::channel::{bounded, Receiver, Sender};

/// The minimum number of hops that each byte makes in one operation.
const HOPS: u64 = 24;

/// Returns how often a byte goes through a line of `units` threads or tasks
/// in one operation.
pub(super) fn laps(units: u64) -> u64 {
    HOPS.div_ceil(units + 1)
}

/// Starts several parallel lines by a signal, waits for their results, and
/// ends them.
pub(super) struct ParallelLines {
    go: Vec<Sender<()>>,
    sums: Arc<Sums>,
    done: Receiver<()>,
}

/// The sum of the results that lines have reported, and the number of lines
/// that have not reported yet.
#[derive(Default)]
struct Sums {
    sum: AtomicU64,
    left: AtomicU64,
}

/// The channels through which a line's head receives start signals and
/// reports its result.
pub(super) struct Head {
    told: Receiver<()>,
    sums: Arc<Sums>,
    done: Sender<()>,
}

impl Head {
    /// Waits for the start signal. Returns `false` if there will be no more
    /// signals.
    pub(super) async fn is_to_go(&self) -> bool {
        self.told.recv().await.is_ok()
    }

    /// Reports that this line is done, and adds `sum`, which is the sum of
    /// the bytes that came back.
    pub(super) async fn done(&self, sum: u64) {
        self.sums.sum.fetch_add(sum, Ordering::Relaxed);
        if self.sums.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.send(()).await.expect("it is awaited");
        }
    }
}

impl ParallelLines {
    /// Creates `lanes` parallel lines. Returns their controls, and a [`Head`]
    /// for each of them.
    pub(super) fn new(lanes: u64) -> (ParallelLines, Vec<Head>) {
        let sums = Arc::<Sums>::default();
        let (says, done) = bounded(1);
        let (go, heads) = (0..lanes)
            .map(|_| {
                let (go, told) = bounded(1);
                let (sums, done) = (sums.clone(), says.clone());
                (go, Head { told, sums, done })
            })
            .unzip();
        (ParallelLines { go, sums, done }, heads)
    }

    /// Starts all lines, waits until they are done, and returns the sum of
    /// their results.
    pub(super) async fn lap(&self) -> u64 {
        self.sums.sum.store(0, Ordering::Relaxed);
        self.sums.left.store(self.go.len() as u64, Ordering::Release);
        for go in &self.go {
            go.send(()).await.expect("the head lives");
        }
        self.done.recv().await.expect("the heads live");
        self.sums.sum.load(Ordering::Acquire)
    }

    /// Makes the head of each line end that line, and waits until all heads
    /// have ended.
    pub(super) async fn end(self) {
        drop(self.go);
        while self.done.recv().await.is_ok() {}
    }
}
