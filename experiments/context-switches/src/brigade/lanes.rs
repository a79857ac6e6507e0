//! Several bytes in flight: the units stand in as many lines, and each line has
//! a byte of its own. In one line they could catch up with each other, and a
//! unit that finds two bytes passes both on without a switch in between.
//!
//! Each line has a head, a unit that sends the byte round several times for each
//! word that it gets: what it costs to start them all and to hear of them is
//! small beside that.

use smol::channel::{bounded, Receiver, Sender};

/// How many hops a byte does at least in one operation.
const HOPS: u64 = 36;

/// How often a byte goes through its line, of so many units, in one operation.
pub(super) fn laps(units: u64) -> u64 {
    HOPS.div_ceil(units + 1)
}

/// The heads of several lines, seen from outside.
pub(super) struct Lanes {
    go: Vec<Sender<()>>,
    sums: Receiver<u64>,
}

/// A head's ends: it is told to go, and answers with what its bytes add up to.
pub(super) type Head = (Receiver<()>, Sender<u64>);

impl Lanes {
    /// So many, and the ends for their heads.
    pub(super) fn new(lanes: u64) -> (Lanes, Vec<Head>) {
        let (done, sums) = bounded(lanes as usize);
        let (go, heads) = (0..lanes)
            .map(|_| {
                let (go, told) = bounded(1);
                (go, (told, done.clone()))
            })
            .unzip();
        (Lanes { go, sums }, heads)
    }

    /// Tells every head to go, and adds up what they answer.
    pub(super) async fn lap(&self) -> u64 {
        for go in &self.go {
            go.send(()).await.expect("the head lives");
        }
        let mut sum = 0;
        for _ in &self.go {
            sum += self.sums.recv().await.expect("the head lives");
        }
        sum
    }

    /// Lets the heads go, and waits until they are gone.
    pub(super) async fn end(self) {
        drop(self.go);
        while self.sums.recv().await.is_ok() {}
    }
}
