//! Two threads take turns, and give way while it is the other's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

/// No turn: the end.
const OVER: u64 = u64::MAX;

/// The thread that has the even turns; its partner has the odd ones.
pub struct Pair {
    turns: Arc<AtomicU64>,
}

impl Pair {
    /// Starts the partner, which does `first` before all else.
    pub fn start(first: impl FnOnce() + Send + 'static) -> Pair {
        let turns = Arc::new(AtomicU64::new(0));
        let pair = Pair { turns: Arc::clone(&turns) };
        thread::spawn(move || {
            first();
            loop {
                match turns.load(Ordering::Acquire) {
                    OVER => return,
                    turn if turn % 2 == 1 => {
                        turns.store(turn + 1, Ordering::Release);
                    }
                    _ => thread::yield_now(),
                }
            }
        });
        pair
    }

    /// Takes a turn and waits for the partner's, so often; returns how often.
    pub fn round_trips(&self, rounds: u64) -> u64 {
        let before = self.turns.load(Ordering::Acquire);
        for round in 0..rounds {
            let next = before + 2 * round + 1;
            self.turns.store(next, Ordering::Release);
            while self.turns.load(Ordering::Acquire) == next {
                thread::yield_now();
            }
        }
        (self.turns.load(Ordering::Acquire) - before) / 2
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.turns.store(OVER, Ordering::Release);
    }
}
