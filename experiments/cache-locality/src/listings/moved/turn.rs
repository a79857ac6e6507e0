//! Lets two threads take turns at touching memory.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};

/// The number of the current turn, on its own cache lines.
#[derive(Default)]
#[repr(align(128))]
pub struct Turn(AtomicU64);

impl Turn {
    /// Takes the even-numbered turns if `place` is 0, and the odd-numbered
    /// ones if it is 1. Calls `touch` in each turn, and returns the sum of
    /// its results.
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
            // A thread that reads the new turn also sees everything written
            // before it.
            self.0.store(turn + 1, Release);
        }
        sum
    }

    /// Waits until all turns before `turn` have ended. Spins without a pause
    /// instruction, which on some processors takes as long as many round
    /// trips between cores.
    pub fn wait_for(&self, turn: u64) {
        loop {
            if self.0.load(Acquire) >= turn {
                return;
            }
        }
    }

    /// Starts again from turn 0.
    pub fn reset(&self) {
        self.0.store(0, Release);
    }
}
