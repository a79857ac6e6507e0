//! Measures how late a sleeping thread wakes: the time from when it is due
//! until its next instruction.

use std::thread;
use std::time::Duration;

use harness::{stamp, stamp_after, Body, Cell, Party, RecordingPlan};
use nix::sys::prctl::set_timerslack;
use runtimes::std_thread;
use runtimes::tokio::CURRENT_THREAD;
use tokio::runtime::Builder;

use super::first_core::on_the_first_core;

const SLEEPS: u64 = 20;

const TIME: Duration = Duration::from_millis(1);

pub(super) fn cells() -> [Cell; 3] {
    let std = std_thread::NAME;
    [
        cell(std, "ours", in_the_kernel, "clock_nanosleep"),
        cell(std, "least slack", with_least_slack, "clock_nanosleep"),
        cell(CURRENT_THREAD.name(), "ours", on_tokio, "epoll_wait"),
    ]
}

/// Returns the benchmark of a thread that sleeps in the system call `call`.
fn cell(
    contender: &str,
    arm: &str,
    sleep: fn() -> u64,
    call: &'static str,
) -> Cell {
    let sleeper = Party::Waker;
    let parties = ["sleeper", "another"];
    let begins = sleeper.stamps("due");
    let plan = RecordingPlan::of("lateness", parties, "due", begins)
        .until_perhaps("timer", sleeper.timer_interrupt())
        .until("waking", sleeper.is_woken())
        .until("running", sleeper.runs())
        .until("return", sleeper.returns_from(call))
        .until("awake", sleeper.stamps("awake"))
        .apart();
    let body = Body::inside(on_the_first_core, sleep);
    Cell::new(contender, SLEEPS, body)
        .per(SLEEPS)
        .parameter("kernel", "sleep")
        .parameter("arm", arm)
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

/// Sleeps with the smallest timer slack. By default, the kernel may let a
/// thread oversleep by 50 microseconds, to wake several threads together.
fn with_least_slack() -> u64 {
    set_timerslack(1).expect("a thread may ask for less slack");
    in_the_kernel()
}

fn on_tokio() -> u64 {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a Tokio runtime can be built").block_on(async {
        for _ in 0..SLEEPS {
            stamp_after("due", TIME);
            tokio::time::sleep(TIME).await;
            stamp("awake");
        }
    });
    SLEEPS
}
