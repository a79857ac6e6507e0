//! A job that reports the moments when it begins and when its data are
//! dropped.

use std::hint::black_box;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long a job continued after it had been given up, or why the attempt
/// failed.
pub(super) type Took = Result<Duration, String>;

/// The length of a job that isn't stopped.
pub(super) const JOB: Duration = Duration::from_millis(100);

/// How long a job runs before it is given up.
pub(super) const AFTER: Duration = Duration::from_millis(10);

/// The interval at which a job checks whether its result is still wanted.
pub(super) const STEP: Duration = Duration::from_millis(1);

/// The error of an invalid attempt. Another program was using the core when
/// the job should have been given up, so the job may have finished normally.
pub(super) const LATE: &str = "it was given up too late";

/// The time after which a job that doesn't begin or end is reported as an
/// error.
const LONGEST: Duration = Duration::from_secs(10);

/// A value owned by a job, which reports when the job begins and when the
/// value is dropped.
#[derive(Debug)]
pub(super) struct Owned {
    began: Sender<()>,
    gone: Sender<Instant>,
}

impl Owned {
    pub(super) fn begin(&self) {
        // An error means that the watcher has been dropped, so nobody needs
        // the report.
        let _ = self.began.send(());
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.gone.send(Instant::now());
    }
}

/// The receiving end of an [`Owned`] value. It is notified when a job begins
/// and ends.
#[derive(Debug)]
pub(super) struct Watcher {
    began: Receiver<()>,
    gone: Receiver<Instant>,
}

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

    /// Waits until the job's data have been dropped, and returns the time
    /// when that happened.
    pub(super) fn until_gone(&self) -> Result<Instant, String> {
        let gone = self.gone.recv_timeout(LONGEST);
        gone.map_err(|error| format!("the job does not end: {error}"))
    }

    /// Calls `give_up` when the job has run for [`AFTER`] plus a random
    /// fraction of a step. Returns how long the job continued after that.
    pub(super) fn gives_up(&self, give_up: impl FnOnce()) -> Took {
        self.gives_up_after(AFTER + STEP.mul_f64(fastrand::f64()), give_up)
    }

    /// Returns how long a job continues after a timer gives up on it. The
    /// timer expires after [`AFTER`].
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

pub(super) fn compute(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        black_box(0);
    }
}

pub(super) fn check(is_so: bool, otherwise: &str) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(|| otherwise.to_owned())
}
