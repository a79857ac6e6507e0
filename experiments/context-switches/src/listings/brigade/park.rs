//! A line of threads that pass a byte on through atomics. They sleep by
//! `park` and wake each other by `unpark`, which use a futex on Linux.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle, Thread};

/// A slot that holds a byte, [`EMPTY`] or [`CLOSED`].
type Slot = Arc<AtomicU16>;
const EMPTY: u16 = 256;
const CLOSED: u16 = 257;

/// Parks until the slot is not empty, and takes the value out of it.
fn take(slot: &Slot) -> u16 {
    loop {
        match slot.swap(EMPTY, Ordering::Acquire) {
            EMPTY => thread::park(),
            found => return found,
        }
    }
}

/// Puts `what` into another thread's slot, and wakes that thread.
fn hand_over(what: u16, (slot, thread): &(Slot, Thread)) {
    slot.store(what, Ordering::Release);
    thread.unpark();
}

/// A thread of the line: adds one to each byte and passes it on, until its
/// slot is closed. The byte therefore counts the threads that it has passed
/// through.
pub fn unit(slot: Slot, to: (Slot, Thread)) {
    loop {
        match take(&slot) {
            CLOSED => return hand_over(CLOSED, &to),
            byte => hand_over((byte + 1) % 256, &to),
        }
    }
}

/// A line of threads: its two ends, and the threads between them.
pub struct Line {
    first: (Slot, Thread),
    last: Slot,
    units: Vec<JoinHandle<()>>,
}

impl Line {
    /// Creates a line of `units` threads. The calling thread has both ends of
    /// the line.
    pub fn new(units: u64) -> Line {
        let last = Slot::new(AtomicU16::new(EMPTY));
        let mut first = (last.clone(), thread::current());
        let mut threads = Vec::new();
        for _ in 0..units {
            let slot = Slot::new(AtomicU16::new(EMPTY));
            let (from, to) = (slot.clone(), first);
            let unit = thread::spawn(move || unit(from, to));
            first = (slot, unit.thread().clone());
            threads.push(unit);
        }
        Line { first, last, units: threads }
    }

    /// Sends `byte` through the line, and returns the byte that arrives at
    /// its end.
    pub fn pass(&mut self, byte: u8) -> u8 {
        hand_over(byte.into(), &self.first);
        take(&self.last) as u8
    }

    /// Closes the first end of the line, so that the threads end one after
    /// the other, and waits for all of them.
    pub fn end(self) -> thread::Result<()> {
        hand_over(CLOSED, &self.first);
        self.units.into_iter().try_for_each(JoinHandle::join)
    }
}
