//! Many threads that wait, and a thread that works in the meantime.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Arc;
use std::thread::{self, Builder, JoinHandle};

use harness::Body;

use crate::batches::batches;
use crate::listings::idle_thread::{idle, Gate};

/// The stack of a waiting thread in bytes, far more than it needs.
const STACK: usize = 64 << 10;

/// Returns the body of the benchmark that sends a message to a thread and
/// back, while `waiting` threads wait.
pub(super) fn switch(waiting: u64) -> Body {
    let start = move || {
        let crowd = Crowd::start(waiting);
        let (to, there) = mpsc::channel();
        let (back, from) = mpsc::channel();
        // The thread exits when its channel is closed.
        thread::spawn(move || echo(&there, &back));
        move || {
            let _crowd = &crowd;
            to.send(1).expect("the other one is there");
            from.recv().expect("the other one is there")
        }
    };
    Body::here(start).for_each_visit()
}

/// Returns the body of the benchmark that spawns and joins a thread, while
/// `waiting` threads wait.
pub(super) fn spawn(waiting: u64) -> Body {
    let start = move || {
        let crowd = Crowd::start(waiting);
        move || {
            let _crowd = &crowd;
            thread::spawn(|| 1_u64).join().expect("it does not panic")
        }
    };
    Body::here(start).for_each_visit()
}

fn echo(there: &Receiver<u64>, back: &Sender<u64>) {
    for message in there {
        back.send(message).ok();
    }
}

/// Threads that wait at a gate until this value is dropped.
struct Crowd {
    gate: Arc<Gate>,
    threads: Vec<JoinHandle<u64>>,
}

impl Crowd {
    /// Starts `waiting` threads, and returns when all of them wait.
    fn start(waiting: u64) -> Crowd {
        let gate = Arc::new(Gate::default());
        let (waits, they_wait) = mpsc::channel();
        let thread = |_| {
            let (gate, waits) = (gate.clone(), waits.clone());
            let unit = move || {
                idle::<64>(&gate, || {
                    waits.send(()).expect("somebody hears of it");
                })
            };
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
        Crowd { gate, threads }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let (is_open, opened) = &*self.gate;
        *is_open.lock().expect("nobody panics with it") = true;
        opened.notify_all();
        for thread in self.threads.drain(..) {
            thread.join().expect("none panics");
        }
    }
}
