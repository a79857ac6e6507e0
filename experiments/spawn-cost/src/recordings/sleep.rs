//! How late a sleeper is: from when it is due until its next instruction.

use std::thread;
use std::time::Duration;

use harness::{
    stamp, stamp_after, Body, Cell, Moment, Party, Placement, RecordingPlan,
};
use nix::sys::prctl::set_timerslack;
use runtimes::std_thread;
use runtimes::tokio::CURRENT_THREAD;

const SLEEPS: u64 = 20;

const TIME: Duration = Duration::from_millis(1);

pub(super) fn cells() -> [Cell; 3] {
    let std = std_thread::NAME;
    let least_slack = Body::inside(with_least_slack, in_the_kernel);
    [
        cell(std, "ours", Body::here(|| in_the_kernel), "clock_nanosleep"),
        cell(std, "least slack", least_slack, "clock_nanosleep"),
        cell(
            CURRENT_THREAD.name(),
            "ours",
            Body::task(CURRENT_THREAD, in_a_task),
            "epoll_wait",
        ),
    ]
}

/// A sleeper that waits in this system call.
fn cell(contender: &str, arm: &str, body: Body, call: &'static str) -> Cell {
    let sleeper = Party::Waker;
    let parties = ["sleeper", "another"];
    let begins = sleeper.stamps("due");
    let plan = RecordingPlan::of("lateness", parties, "due", begins)
        .until_perhaps("timer", Moment::timer_interrupt())
        .until("waking", sleeper.is_woken())
        .until("running", sleeper.runs())
        .until("return", sleeper.returns_from(call))
        .until("awake", sleeper.stamps("awake"))
        .apart();
    Cell::new(contender, SLEEPS, body)
        .per(SLEEPS)
        .parameter("kernel", "sleep")
        .parameter("arm", arm)
        .placement(Placement::AllCores)
        .recorded(plan)
}

fn in_the_kernel() -> u64 {
    for _ in 0..SLEEPS {
        stamp_after("due", TIME);
        thread::sleep(TIME);
        stamp("awake");
    }
    SLEEPS
}

/// Runs a batch in a thread that the kernel may not let oversleep, to wake others
/// along with it: by default it may, by 50 microseconds.
fn with_least_slack(batch: &mut (dyn FnMut() + Send)) {
    thread::scope(|scope| {
        scope.spawn(|| {
            set_timerslack(1).expect("a thread may ask for less slack");
            batch();
        });
    });
}

async fn in_a_task() -> u64 {
    for _ in 0..SLEEPS {
        stamp_after("due", TIME);
        tokio::time::sleep(TIME).await;
        stamp("awake");
    }
    SLEEPS
}
