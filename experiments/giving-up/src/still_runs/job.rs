//! A job that reports when it begins and when it is gone.

use std::hint::black_box;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// The result of a case: how long the job was still there.
pub(super) type Took = Result<Duration, String>;

/// How long a job takes if it isn't stopped.
pub(super) const JOB: Duration = Duration::from_millis(100);

/// The time from the job's beginning until it is given up.
pub(super) const AFTER: Duration = Duration::from_millis(10);

/// The length of a step of a job that checks whether its result is still
/// wanted.
pub(super) const STEP: Duration = Duration::from_millis(1);

/// The error if another program had the core when a job should have been given
/// up, so that the job might already have ended. The try is then invalid.
pub(super) const LATE: &str = "it was given up too late";

/// Longer than anything here takes.
const LONGEST: Duration = Duration::from_secs(10);

/// Owned by a job: reports when the job begins, and when it is dropped.
#[derive(Debug)]
pub(super) struct Owned {
    began: Sender<()>,
    gone: Sender<Instant>,
}

impl Owned {
    pub(super) fn begin(&self) {
        // The watcher may have gone.
        let _ = self.began.send(());
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.gone.send(Instant::now());
    }
}

/// The watcher of a job.
#[derive(Debug)]
pub(super) struct Watcher {
    began: Receiver<()>,
    gone: Receiver<Instant>,
}

/// Returns something for a job to own, and its watcher.
pub(super) fn watched() -> (Owned, Watcher) {
    let (tell_began, began) = mpsc::channel();
    let (tell_gone, gone) = mpsc::channel();
    (Owned { began: tell_began, gone: tell_gone }, Watcher { began, gone })
}

impl Watcher {
    pub(super) fn until_begun(&self) -> Result<(), String> {
        let begun = self.began.recv_timeout(LONGEST);
        begun.map_err(|error| format!("the job does not begin: {error}"))
    }

    pub(super) fn has_begun(&self) -> bool {
        self.began.try_recv().is_ok()
    }

    /// Waits until the job's data have been dropped, and returns when that was.
    pub(super) fn until_gone(&self) -> Result<Instant, String> {
        let gone = self.gone.recv_timeout(LONGEST);
        gone.map_err(|error| format!("the job does not end: {error}"))
    }

    /// Gives up on the job when it has run for a while, in the middle of a
    /// step. Returns how long it is still there.
    pub(super) fn gives_up(&self, give_up: impl FnOnce()) -> Took {
        self.gives_up_after(AFTER + STEP.mul_f64(fastrand::f64()), give_up)
    }

    /// Returns how long a job is still there after a timer has given it up.
    pub(super) fn outlasts_timer(&self) -> Took {
        self.gives_up_after(AFTER, || ())
    }

    fn gives_up_after(&self, after: Duration, give_up: impl FnOnce()) -> Took {
        self.until_begun()?;
        let begun = Instant::now();
        thread::sleep(after);
        let start = Instant::now();
        check(start.duration_since(begun) < JOB / 2, LATE)?;
        give_up();
        Ok(self.until_gone()?.saturating_duration_since(start))
    }
}

/// Computes for `time`.
pub(super) fn compute(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        black_box(0);
    }
}

/// Returns the error `otherwise` if `is_so` is false.
pub(super) fn check(is_so: bool, otherwise: &str) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(|| otherwise.to_owned())
}
