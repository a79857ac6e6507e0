//! A job's trip to a thread of a pool and back. One of the pool's two threads
//! waits for the channel and holds the lock, the other waits for the lock. So
//! a thread that takes a job first wakes the other one.

use std::sync::mpsc;

use harness::{stamp, Body, Cell, Party, Placement, RecordingPlan};

use crate::listings::thread_pool::ThreadPool;

const JOBS: u64 = 50;

pub(super) fn the_cell() -> Cell {
    let body = Body::here(|| {
        let pool = ThreadPool::new(2);
        move || (0..JOBS).map(|_| job(&pool)).sum::<u64>()
    });
    Cell::new("thread pool", JOBS, body)
        .per(JOBS)
        .parameter("kernel", "life")
        .parameter("arm", "ours")
        .placement(Placement::OneCore)
        .recorded(plan())
}

fn plan() -> RecordingPlan {
    let (sender, thread) = (Party::Waker, Party::Woken);
    let parties = ["sender", "thread of the pool"];
    RecordingPlan::of("job", parties, "send", sender.stamps("send"))
        .until("waking", sender.wakes())
        .until("running", thread.runs())
        .until_perhaps("next woken", thread.wakes_anybody())
        .until("begun", thread.stamps("begun"))
        .until("sender running", sender.runs())
        .until("received", sender.stamps("received"))
        .with_calls(&["futex"])
        .apart()
}

/// Hands a job to `pool`, and waits until it has run.
fn job(pool: &ThreadPool) -> u64 {
    let (sender, done) = mpsc::channel();
    stamp("send");
    pool.execute(move || {
        stamp("begun");
        sender.send(1).expect("it is awaited");
    });
    let ran = done.recv().expect("the pool has threads");
    stamp("received");
    ran
}
