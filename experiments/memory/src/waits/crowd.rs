//! A crowd of threads that wait while a message goes back and forth.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::Arc;
use std::thread::{self, Builder, JoinHandle};

use crate::batches::batches;
use crate::listings::idle_thread::{idle, Gate};

/// The stack of a waiting thread in bytes, far more than it needs.
const STACK: usize = 64 << 10;

/// The object that the threads wait on.
#[derive(Debug, Clone, Copy)]
pub(super) enum WaitsAt {
    /// All threads wait on one condition variable, and therefore on a single
    /// futex.
    Gate,
    /// Each thread has its own parker, and therefore its own futex.
    Parker,
    /// Threads wait on a pipe to which nothing is written, so no futex is
    /// involved.
    Pipe,
}

impl WaitsAt {
    pub(super) const ALL: [WaitsAt; 3] =
        [WaitsAt::Gate, WaitsAt::Parker, WaitsAt::Pipe];

    /// Returns the value for the parameter `at`.
    pub(super) fn name(self) -> &'static str {
        match self {
            WaitsAt::Gate => "one condition variable",
            WaitsAt::Parker => "a parker each",
            WaitsAt::Pipe => "a pipe",
        }
    }
}

/// Threads that wait until this value is dropped.
pub(super) struct Crowd {
    end: Arc<End>,
    /// The write end of the pipe. Closing it ends every read.
    writer: Option<PipeWriter>,
    threads: Vec<JoinHandle<()>>,
}

/// The objects that the threads wait on, for each [`WaitsAt`].
struct End {
    gate: Gate,
    /// The flag that a thread checks after it is unparked.
    has_come: AtomicBool,
    reader: PipeReader,
}

impl Crowd {
    /// Starts `waiting` threads, and returns when each has reported that it is
    /// about to wait.
    pub(super) fn start(at: WaitsAt, waiting: u64) -> Crowd {
        let (reader, writer) = io::pipe().expect("there is room for a pipe");
        let gate = Gate::default();
        let has_come = AtomicBool::new(false);
        let end = Arc::new(End { gate, has_come, reader });
        let (waits, they_wait) = mpsc::channel();
        let thread = |_| {
            let (end, waits) = (end.clone(), waits.clone());
            let unit = move || wait(at, &end, &waits);
            let thread = Builder::new().stack_size(STACK).spawn(unit);
            thread.expect("there is room for as many threads")
        };
        let mut threads = Vec::new();
        for batch in batches(waiting) {
            threads.extend((0..batch).map(thread));
            for _ in 0..batch {
                they_wait.recv().expect("each says so");
            }
        }
        Crowd { end, writer: Some(writer), threads }
    }
}

fn wait(at: WaitsAt, end: &End, waits: &Sender<()>) {
    let says = || waits.send(()).expect("somebody hears of it");
    match at {
        WaitsAt::Gate => {
            idle::<64>(&end.gate, says);
        }
        WaitsAt::Parker => {
            says();
            while !end.has_come.load(Ordering::Acquire) {
                thread::park();
            }
        }
        WaitsAt::Pipe => {
            says();
            let read = (&end.reader).read(&mut [0]);
            assert_eq!(read.ok(), Some(0), "nobody writes");
        }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let (is_open, opened) = &self.end.gate;
        *is_open.lock().expect("nobody panics with it") = true;
        opened.notify_all();
        self.end.has_come.store(true, Ordering::Release);
        drop(self.writer.take());
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            thread.join().expect("none panics");
        }
    }
}
