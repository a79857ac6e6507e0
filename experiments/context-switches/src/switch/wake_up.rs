//! Measures how long it takes to wake a parked thread. The time starts just
//! before the call that wakes the thread. It ends when the thread, as its
//! first action, reads the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::Arc;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// A thread that parks until it is woken.
pub struct ParkedThread {
    bell: Arc<AtomicBool>,
    thread: Thread,
    woken: Receiver<Instant>,
}

impl ParkedThread {
    /// Starts the thread, which first calls `first`, and ends when
    /// the [`ParkedThread`] is dropped.
    pub fn start(first: impl FnOnce() + Send + 'static) -> ParkedThread {
        let bell = Arc::new(AtomicBool::new(false));
        let (says, woken) = sync_channel(1);
        let rung = Arc::clone(&bell);
        let thread = thread::spawn(move || {
            first();
            loop {
                while !rung.swap(false, Ordering::Acquire) {
                    thread::park();
                }
                if says.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
        ParkedThread { bell, thread: thread.thread().clone(), woken }
    }

    /// Waits for `after` while the other thread is parked, and then wakes
    /// that thread. Returns how long waking it took.
    pub fn wake(&self, after: Duration) -> Duration {
        thread::sleep(after);
        let start = Instant::now();
        self.bell.store(true, Ordering::Release);
        self.thread.unpark();
        let woke = self.woken.recv().expect("it says when it woke");
        woke.duration_since(start)
    }
}

impl Drop for ParkedThread {
    fn drop(&mut self) {
        // Dropping the receiver ends the thread, since nobody can receive its
        // answer.
        self.woken = sync_channel(0).1;
        self.bell.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
