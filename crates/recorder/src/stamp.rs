//! Timestamps that the program itself takes (stamps), on the same clock as the kernel's events.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;
use std::time::Duration;

/// Takes a timestamp when the program has reached the point `name`, for example `first
/// instruction` or `poll`. Without a recording, this costs a load and a branch. Records only on
/// Linux.
#[inline]
pub fn stamp(name: &'static str) {
    if IS_ON.load(Ordering::Relaxed) {
        note(name, |now| now);
    }
}

/// Takes a timestamp for a moment that lies `time` in the future, for example when a timer is
/// due.
#[inline]
pub fn stamp_after(name: &'static str, time: Duration) {
    if IS_ON.load(Ordering::Relaxed) {
        note(name, |now| now + time);
    }
}

/// Takes a timestamp for a moment that was `time` ago, when the thread itself could not do so
/// because it wasn't running.
#[inline]
pub fn stamp_before(name: &'static str, time: Duration) {
    if IS_ON.load(Ordering::Relaxed) {
        note(name, |now| now - time);
    }
}

static IS_ON: AtomicBool = AtomicBool::new(false);

/// The stamps taken so far. The lock is nearly always free, since threads that hand over to each
/// other take their stamps in turn.
static STAMPS: Mutex<Vec<Stamp>> = Mutex::new(Vec::new());

/// A timestamp, with the thread that took it and the name of the point.
#[derive(Debug)]
pub(crate) struct Stamp {
    pub(crate) time: u64,
    pub(crate) thread: i32,
    pub(crate) name: &'static str,
}

/// Switches the recording of stamps on or off.
pub(crate) fn switch(on: bool) {
    IS_ON.store(on, Ordering::SeqCst);
}

pub(crate) fn take() -> Vec<Stamp> {
    std::mem::take(&mut *STAMPS.lock().expect("no push panics"))
}

#[cfg(target_os = "linux")]
#[cold]
fn note(name: &'static str, moment: impl FnOnce(Duration) -> Duration) {
    use nix::time::{clock_gettime, ClockId};
    use nix::unistd::gettid;

    thread_local! {
        /// The thread's id, cached at the first stamp because asking for it is a system call.
        static THREAD: i32 = gettid().as_raw();
    }
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("the clock of Instant");
    let time = moment(now.into()).as_nanos() as u64;
    let thread = THREAD.with(|thread| *thread);
    STAMPS.lock().expect("no push panics").push(Stamp { time, thread, name });
}

#[cfg(not(target_os = "linux"))]
fn note(_name: &'static str, _moment: impl FnOnce(Duration) -> Duration) {}
