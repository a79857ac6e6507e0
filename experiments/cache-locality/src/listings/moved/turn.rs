//! Two threads that take turns, and so hand something over to each other.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

/// The number of the turn, on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub struct Turn(AtomicU64);

impl Turn {
    /// Takes those of the turns that are even, or odd at place 1, and adds up what
    /// `touch` returns.
    pub fn take(
        &self,
        turns: Range<u64>,
        place: u64,
        mut touch: impl FnMut() -> u64,
    ) -> u64 {
        let mut sum = 0;
        for turn in turns.filter(|turn| turn % 2 == place) {
            self.wait_for(turn);
            sum += touch();
            // Who sees this sees all that was written before it.
            self.0.store(turn + 1, Release);
        }
        sum
    }

    /// Waits until the turns before this one are over. The processor is not told that
    /// it waits: some answer that with a pause of many round trips.
    pub fn wait_for(&self, turn: u64) {
        loop {
            if self.0.load(Acquire) >= turn {
                return;
            }
        }
    }

    /// Begins anew.
    pub fn reset(&self) {
        self.0.store(0, Release);
    }
}
