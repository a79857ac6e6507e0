//! Experiment `recordings`: records one period of a control group with half
//! of a processor's time, in which two threads compute. Runs only by `cargo
//! run -r -p blocking-tasks -- --record`.

use std::process;
use std::thread;
use std::time::{Duration, Instant};

use harness::{
    pin_this_thread, room_for_cores, stamp, stamp_before, Body, Cell,
    Experiment, Party, RecordingPlan,
};

use crate::quota::group::{Group, Limit};

const HALF_A_CORE: Limit = Limit {
    percent: Some(50),
    period: Duration::from_millis(100),
    burst: Duration::ZERO,
};

/// The number of times that each thread must be stopped before a recording
/// ends.
const STOPS: u64 = 3;

/// If two readings of the clock are at least this far apart, the quota has
/// stopped the thread. Preemption by other programs is shorter.
const STOPPED: Duration = Duration::from_millis(20);

pub(crate) fn experiment() -> Experiment {
    let body = Body::here(|| compute_in_a_group);
    let cell = Cell::new("std::thread", STOPS, body)
        .per(STOPS)
        .parameter("quota", "half a core")
        .parameter("period_ms", 100)
        .needs(|| room_for_cores(2))
        .needs(|| Group::new(HALF_A_CORE).map(drop))
        .recorded(plan());
    Experiment::new("recordings", "time per operation", "std::thread")
        .cells([cell])
}

/// Returns the plan for recording one period, from a moment when a thread
/// resumes to the moment when it resumes in the next period.
fn plan() -> RecordingPlan {
    let thread = Party::Waker;
    let threads = ["thread 1", "thread 2"];
    RecordingPlan::of("period", threads, "runs", thread.stamps("runs again"))
        .until("stopped", thread.stamps("stopped"))
        .until("runs again", thread.stamps("runs again"))
        .in_batches_of(1)
        .apart()
        // The recording ends before each thread's last period is over.
        .alike_on_all_cores()
}

/// Computes on two cores, in a new control group for this process, until the
/// quota has stopped each thread [`STOPS`] times. Returns the number of
/// stops.
fn compute_in_a_group() -> u64 {
    let group = Group::new(HALF_A_CORE).expect("it could be made before");
    group.add(process::id()).expect("it takes this process");
    let stops = thread::scope(|scope| {
        let threads = [0, 1].map(|core| scope.spawn(move || compute(core)));
        threads.map(|thread| thread.join().expect("it does not panic"))
    });
    stops[0].min(stops[1])
}

fn compute(core: usize) -> u64 {
    pin_this_thread(core).expect("there are two cores");
    let (mut stops, mut last) = (0, Instant::now());
    while stops < STOPS {
        let now = Instant::now();
        if now - last > STOPPED {
            stamp_before("stopped", now - last);
            stamp("runs again");
            stops += 1;
        }
        last = now;
    }
    stops
}
