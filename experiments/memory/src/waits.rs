//! Experiment `waits`: whether a message between two threads takes longer while many
//! others wait, by what these wait at.
//!
//! Who waits at a lock, a condition variable or a parker waits at a futex, and the
//! kernel keeps the waiters of a process in a few lists. Who wakes a thread goes
//! through the list that it is in. Who waits in a `read` is in no such list.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use harness::{room_for_threads, Body, Cell, Experiment, Placement};
use runtimes::std_thread;

mod crowd;

use crowd::{Crowd, WaitsAt};

/// How many wait.
const WAITING: u64 = 10_000;

/// The experiment. All is on one core, where no other has to be woken.
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
        // It ends when nothing can be sent to it any more.
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
        // They are compared wherever the others wait.
        .group("all")
        .in_sweep()
        .full_only()
}

fn echo(there: &Receiver<u64>, back: &Sender<u64>) {
    for message in there {
        back.send(message).ok();
    }
}
