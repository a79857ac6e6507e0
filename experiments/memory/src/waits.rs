//! Experiment `waits`: whether a message between two threads takes longer
//! while many other threads wait, for several ways of waiting.
//!
//! A thread that waits at a lock, a condition variable or a parker waits at a
//! futex. The kernel keeps the waiters of a process in a few lists, and
//! searches a thread's list to wake the thread. A thread that waits in a
//! `read` is in none of these lists.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use harness::{room_for_threads, Body, Cell, Experiment, Placement};
use runtimes::std_thread;

mod crowd;

use crowd::{Crowd, WaitsAt};

const WAITING: u64 = 10_000;

/// Returns the experiment. Everything runs on one core, so no other core has
/// to be woken.
pub(crate) fn experiment() -> Experiment {
    let alone = cell("nothing", 0, None);
    let beside = WaitsAt::ALL.map(|at| cell(at.name(), WAITING, Some(at)));
    Experiment::new("waits", "time per operation", std_thread::NAME)
        .cell(alone)
        .cells(beside)
}

fn cell(at: &str, waiting: u64, crowd: Option<WaitsAt>) -> Cell {
    let start = move || {
        let crowd = crowd.map(|at| Crowd::start(at, waiting));
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
    let body = Body::here(start).for_each_visit();
    Cell::new(std_thread::NAME, 1, body)
        .parameter("waiting", waiting as i64)
        .parameter("at", at)
        .placement(Placement::OneCore)
        .needs(move || room_for_threads(waiting))
        // All benchmarks form one group and are measured in alternation,
        // because ways of waiting are compared.
        .group("all")
        .in_sweep()
        .full_only()
}

fn echo(there: &Receiver<u64>, back: &Sender<u64>) {
    for message in there {
        back.send(message).ok();
    }
}
