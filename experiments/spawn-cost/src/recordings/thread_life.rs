//! Records a thread's life, from before it is spawned until it has been
//! joined.

use std::thread;

use harness::{stamp, Body, Cell, Party, Placement, RecordingPlan};
use runtimes::std_thread;

const THREADS: u64 = 20;

pub(super) fn the_cell() -> Cell {
    Cell::new(std_thread::NAME, THREADS, Body::here(|| one_by_one))
        .per(THREADS)
        .parameter("kernel", "life")
        .parameter("arm", "ours")
        .placement(Placement::OneCore)
        .recorded(plan())
}

fn plan() -> RecordingPlan {
    let (spawner, thread) = (Party::Waker, Party::Woken);
    let parties = ["spawner", "thread"];
    RecordingPlan::of("life", parties, "spawn", spawner.stamps("spawn"))
        .until("clone", spawner.enters("clone3"))
        .until("new thread", spawner.wakes())
        .until("running", thread.runs())
        .until("first instruction", thread.stamps("first instruction"))
        .until("unmapping", thread.enters("munmap"))
        .until("exit", thread.enters("exit"))
        .until("waking", thread.wakes())
        .until("spawner running", spawner.runs())
        .until("joined", spawner.stamps("joined"))
        .with_calls(&["futex", "madvise", "mmap", "mprotect", "sigaltstack"])
}

/// Creates and joins threads one after the other, and returns how many ran.
fn one_by_one() -> u64 {
    let life = |_| {
        stamp("spawn");
        let thread = thread::spawn(|| {
            stamp("first instruction");
            1
        });
        let ran: u64 = thread.join().expect("the thread does not panic");
        stamp("joined");
        ran
    };
    (0..THREADS).map(life).sum()
}
