//! Parallel lines, for several bytes in flight: the units stand in as many lines, and each line has
//! a byte of its own. In one line they could catch up with each other, and a
//! unit that finds two bytes passes both on without a switch in between.
//!
//! Each line has a head, a unit that sends the byte round several times for each
//! word that it gets, and the last one to be done says so. What that takes is
//! part of the time: a wake-up for every [`HOPS`] hops or more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use smol::channel::{bounded, Receiver, Sender};

/// How many hops a byte does at least in one operation.
const HOPS: u64 = 24;

/// How often a byte goes through its line, of so many units, in one operation.
pub(super) fn laps(units: u64) -> u64 {
    HOPS.div_ceil(units + 1)
}

/// The heads of several lines, seen from outside.
pub(super) struct ParallelLines {
    go: Vec<Sender<()>>,
    sums: Arc<Sums>,
    done: Receiver<()>,
}

/// What the heads have added up, and how many of them have not yet.
#[derive(Default)]
struct Sums {
    sum: AtomicU64,
    left: AtomicU64,
}

/// A head's ends.
pub(super) struct Head {
    told: Receiver<()>,
    sums: Arc<Sums>,
    done: Sender<()>,
}

impl Head {
    /// Waits to be told to go. It is not, if the lanes end.
    pub(super) async fn is_to_go(&self) -> bool {
        self.told.recv().await.is_ok()
    }

    /// Says what its bytes add up to.
    pub(super) async fn done(&self, sum: u64) {
        self.sums.sum.fetch_add(sum, Ordering::Relaxed);
        if self.sums.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.send(()).await.expect("it is awaited");
        }
    }
}

impl ParallelLines {
    /// So many, and the ends for their heads.
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

    /// Tells every head to go, and adds up what they say.
    pub(super) async fn lap(&self) -> u64 {
        self.sums.sum.store(0, Ordering::Relaxed);
        self.sums.left.store(self.go.len() as u64, Ordering::Release);
        for go in &self.go {
            go.send(()).await.expect("the head lives");
        }
        self.done.recv().await.expect("the heads live");
        self.sums.sum.load(Ordering::Acquire)
    }

    /// Lets the heads go, and waits until they are gone.
    pub(super) async fn end(self) {
        drop(self.go);
        while self.done.recv().await.is_ok() {}
    }
}
