//! The steps in the life of a Tokio task that goes through the LIFO slot, the
//! queue, or another worker, and the steps of a blocking call on a thread of
//! the pool.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::{
    room_for_cores, stamp, Body, Cell, Noted, Party, Placement, RecordingPlan,
};
use runtimes::tokio::{MULTI_THREAD, ONE_WORKER};
use tokio::runtime::Builder;

const TASKS: u64 = 50;

/// How long a worker or a pool thread stays busy. Meanwhile, the idle worker
/// goes to sleep.
const BUSY: Duration = Duration::from_micros(50);

pub(super) fn cells() -> [Cell; 3] {
    let task = |arm: &str, body, plan| {
        cell(MULTI_THREAD.name(), "life", arm, body).recorded(plan)
    };
    [
        task(
            "LIFO slot",
            Body::task(ONE_WORKER, by_lifo_slot),
            on_one_worker(&["spawned", "await"]),
        ),
        task(
            "queue",
            Body::task(ONE_WORKER, by_queue),
            on_one_worker(&["spawned", "displaced", "await"]),
        ),
        task(
            "another worker",
            Body::task(MULTI_THREAD, by_another_worker),
            on_another_worker(),
        )
        .needs(|| room_for_cores(2)),
    ]
}

pub(super) fn blocking() -> Cell {
    // Each measurement has a separate runtime. The runtime and the threads of
    // its pool end with the measurement.
    let body = Body::here(|| {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || {
            let calls = runtime.spawn(blocking_calls());
            runtime.block_on(calls).expect(NO_PANIC)
        }
    });
    // This benchmark uses one core. With two, a call goes to the other core
    // and back.
    cell("tokio spawn_blocking", "life", "ours", body.for_each_visit())
        .placement(Placement::OneCore)
        .recorded(on_the_pool())
}

fn cell(contender: &str, kernel: &str, arm: &str, body: Body) -> Cell {
    Cell::new(contender, TASKS, body)
        .per(TASKS)
        .parameter("kernel", kernel)
        .parameter("arm", arm)
        .placement(Placement::AllCores)
}

/// Returns a plan that records a task's life on one worker, from just before
/// the spawn until the spawning task has the result. The spawning task marks
/// points in between with `stamps`.
fn on_one_worker(stamps: &[&'static str]) -> RecordingPlan {
    let worker = Party::Waker;
    let parties = ["worker", "another"];
    let begins = worker.stamps("spawn");
    let plan = RecordingPlan::of("life", parties, "spawn", begins);
    let plan = stamps
        .iter()
        .fold(plan, |plan, name| plan.until(name, worker.stamps(name)));
    plan.until("poll", worker.stamps("poll"))
        .until("wake", worker.stamps("wake"))
        .until("poll of who awaits", worker.stamps("await"))
        .until("joined", worker.stamps("joined"))
}

/// Returns a plan that records how a task moves to the other worker: from
/// just before the spawn until that worker polls the task.
fn on_another_worker() -> RecordingPlan {
    let parties = ["worker", "other worker"];
    let begins = Party::Waker.stamps("spawn");
    RecordingPlan::of("move", parties, "spawn", begins)
        .until("waking", Party::Waker.wakes())
        .until_perhaps("interrupt", Party::Waker.interrupts())
        .until("running", Party::Woken.runs())
        .until("poll", Party::Woken.stamps("poll"))
        .apart()
        .alike_on_all_cores()
        .with_calls(&["epoll_wait", "futex", "write"])
}

fn on_the_pool() -> RecordingPlan {
    let (worker, pool) = (Party::Waker, Party::Woken);
    let parties = ["worker", "thread of the pool"];
    RecordingPlan::of("call", parties, "call", worker.stamps("call"))
        .until("waking", worker.wakes())
        .until_perhaps("interrupt", worker.interrupts())
        .until("running", pool.runs())
        .until("first instruction", pool.stamps("begun"))
        .until("last instruction", pool.stamps("ended"))
        .until("wake", pool.stamps("wake"))
        .until_perhaps("waking back", pool.wakes())
        .until_perhaps("interrupt back", pool.interrupts())
        .until("worker running", worker.runs())
        .until("returned", worker.stamps("returned"))
        .with_calls(&["epoll_wait", "futex", "write"])
}

/// Spawns and awaits tasks one by one. The worker takes each from its LIFO
/// slot.
async fn by_lifo_slot() -> u64 {
    let mut ran = 0;
    for _ in 0..TASKS {
        stamp("spawn");
        let task = tokio::spawn(Noted::new(async { 1 }, "poll", "woken"));
        stamp("spawned");
        ran += Noted::new(task, "await", "wake").await.expect(NO_PANIC);
        stamp("joined");
    }
    ran
}

/// Spawns two tasks at a time. The second displaces the first from the LIFO
/// slot, and runs before it.
async fn by_queue() -> u64 {
    let mut ran = 0;
    for _ in 0..TASKS {
        stamp("spawn");
        let task = tokio::spawn(Noted::new(async { 1 }, "poll", "woken"));
        stamp("spawned");
        let second = tokio::spawn(async {});
        stamp("displaced");
        ran += Noted::new(task, "await", "wake").await.expect(NO_PANIC);
        stamp("joined");
        second.await.expect(NO_PANIC);
    }
    ran
}

/// Spawns two tasks at a time. The second displaces the first from the LIFO
/// slot. Then spins until the other worker has run the first.
async fn by_another_worker() -> u64 {
    let mut ran = 0;
    for _ in 0..TASKS {
        compute_for(BUSY);
        let has_run = Arc::new(AtomicBool::new(false));
        let says = Arc::clone(&has_run);
        let task = async move {
            says.store(true, Ordering::Release);
            1
        };
        stamp("spawn");
        let task = tokio::spawn(Noted::new(task, "poll", "woken"));
        let second = tokio::spawn(async {});
        while !has_run.load(Ordering::Acquire) {
            spin_loop();
        }
        ran += task.await.expect(NO_PANIC);
        second.await.expect(NO_PANIC);
    }
    ran
}

async fn blocking_calls() -> u64 {
    let mut ran = 0;
    for _ in 0..TASKS {
        stamp("call");
        let call = tokio::task::spawn_blocking(|| {
            stamp("begun");
            compute_for(BUSY);
            stamp("ended");
            1
        });
        ran += Noted::new(call, "await", "wake").await.expect(NO_PANIC);
        stamp("returned");
    }
    ran
}

const NO_PANIC: &str = "no task panics";

fn compute_for(time: Duration) {
    let since = Instant::now();
    while since.elapsed() < time {
        spin_loop();
    }
}
