//! Two threads take turns: each parks until the other unparks it. On Linux,
//! parking and unparking use the system call `futex`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::{self, Thread};

/// Stored in place of a turn's number, to tell the partner to stop.
const OVER: u64 = u64::MAX;

/// The thread that takes the even turns. Its partner, another thread, takes
/// the odd ones.
pub struct Pair {
    turns: Arc<AtomicU64>,
    partner: Thread,
}

impl Pair {
    /// Starts the partner thread, which first calls `first`. The partner
    /// wakes the thread that calls this function, so only that thread may
    /// call [`Pair::round_trips`].
    pub fn start(first: impl FnOnce() + Send + 'static) -> Pair {
        let turns = Arc::new(AtomicU64::new(0));
        let (theirs, other) = (Arc::clone(&turns), thread::current());
        let partner = thread::spawn(move || {
            first();
            loop {
                match theirs.load(Ordering::Acquire) {
                    OVER => return,
                    turn if turn % 2 == 1 => {
                        theirs.store(turn + 1, Ordering::Release);
                        other.unpark();
                    }
                    _ => thread::park(),
                }
            }
        });
        Pair { turns, partner: partner.thread().clone() }
    }

    /// Takes `rounds` turns, and waits for the partner's turn after each of
    /// its own. Returns how many turns each of the two threads took.
    pub fn round_trips(&self, rounds: u64) -> u64 {
        let before = self.turns.load(Ordering::Acquire);
        for round in 0..rounds {
            let next = before + 2 * round + 1;
            self.turns.store(next, Ordering::Release);
            self.partner.unpark();
            while self.turns.load(Ordering::Acquire) == next {
                thread::park();
            }
        }
        (self.turns.load(Ordering::Acquire) - before) / 2
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.turns.store(OVER, Ordering::Release);
        self.partner.unpark();
    }
}
