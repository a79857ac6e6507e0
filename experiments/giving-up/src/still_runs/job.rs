//! A job that says when it has begun and when it has gone.

use std::hint::black_box;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// What a case found: how long the job was still there.
pub(super) type Took = Result<Duration, String>;

/// How long a job takes if nobody stops it.
pub(super) const JOB: Duration = Duration::from_millis(100);

/// When it is given up, since it has begun.
pub(super) const AFTER: Duration = Duration::from_millis(10);

/// How long one step is of a job that looks whether anybody still wants it.
pub(super) const STEP: Duration = Duration::from_millis(1);

/// What is said where somebody else had the core when a job was to be given up, so that it
/// might have ended before: such a try is none.
pub(super) const LATE: &str = "it was given up too late";

/// Nothing here takes longer.
const LONGEST: Duration = Duration::from_secs(10);

/// What a job owns: it tells when the job begins, and when it is dropped.
#[derive(Debug)]
pub(super) struct Owned {
    began: Sender<()>,
    gone: Sender<Instant>,
}

impl Owned {
    pub(super) fn begin(&self) {
        // Nobody may be there to be told any more.
        let _ = self.began.send(());
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.gone.send(Instant::now());
    }
}

/// Who watches a job.
#[derive(Debug)]
pub(super) struct Watcher {
    began: Receiver<()>,
    gone: Receiver<Instant>,
}

/// Something to be owned by a job, and its watcher.
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

    /// When what it watches was dropped.
    pub(super) fn until_gone(&self) -> Result<Instant, String> {
        let gone = self.gone.recv_timeout(LONGEST);
        gone.map_err(|error| format!("the job does not end: {error}"))
    }

    /// Gives up on the job when it has run for a while, in the midst of a step: how long
    /// it is still there.
    pub(super) fn gives_up(&self, give_up: impl FnOnce()) -> Took {
        self.gives_up_after(AFTER + STEP.mul_f64(fastrand::f64()), give_up)
    }

    /// How long a job is still there that is given up by a timer.
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

/// Computes for so long.
pub(super) fn compute(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        black_box(0);
    }
}

/// Says what is wrong, if this is not so.
pub(super) fn check(is_so: bool, otherwise: &str) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(|| otherwise.to_owned())
}
