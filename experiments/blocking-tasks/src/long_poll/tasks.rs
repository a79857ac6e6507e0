//! The tasks on a runtime: some compute without yielding during a job, and
//! two need to run promptly.

use std::future::Future;
use std::net::TcpStream;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::Job;
use super::window::Window;

const PERIOD: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct Tasks {
    pub(super) units: Vec<Unit>,
    pub(super) ticker: Ticker,
    /// The non-blocking connection of the task that sends each message back.
    pub(super) connection: TcpStream,
}

/// Does one job after another, and yields after each, like a task that awaits
/// its next request.
pub(crate) async fn work<Done, GaveWay>(
    mut unit: Unit,
    done: impl Fn(Job) -> Done,
    give_way: impl Fn() -> GaveWay,
) where
    Done: Future<Output = u64>,
    GaveWay: Future<Output = ()>,
{
    unit.window.task_has_begun();
    while let Some(job) = unit.next() {
        let parts = done(job).await;
        unit.did(parts);
        give_way().await;
    }
}

pub(crate) async fn tick<Slept: Future>(
    mut ticker: Ticker,
    sleep_until: impl Fn(Instant) -> Slept,
) {
    ticker.window.task_has_begun();
    while let Some(due) = ticker.next() {
        sleep_until(due).await;
    }
}

/// Supplies a computing task with jobs until the measurement ends.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(super) job: Job,
    /// The first job, of random length, so that the tasks get out of step.
    pub(super) first: Option<Job>,
    pub(super) begun: Instant,
    pub(super) window: Arc<Window>,
    pub(super) over: Arc<AtomicBool>,
    pub(super) worked: Worked,
    pub(super) tell: Sender<Worked>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Worked {
    /// The number of jobs during the measurement. A job that is partly
    /// outside counts as a fraction.
    pub(super) jobs: f64,
    /// The number of jobs that were stopped before their end.
    pub(super) cut: u64,
}

impl Unit {
    /// Returns the next job, or `None` once the measurement has ended.
    fn next(&mut self) -> Option<Job> {
        if self.over.load(Relaxed) {
            // An error is ignored: if the receiver is gone, the measurement
            // has already failed.
            let _ = self.tell.send(self.worked);
            return None;
        }
        self.begun = Instant::now();
        Some(self.first.unwrap_or(self.job))
    }

    /// Counts a job that has just ended after `parts` parts.
    fn did(&mut self, parts: u64) {
        let job = self.first.take().unwrap_or(self.job);
        self.worked.cut += u64::from(parts != job.len());
        let whole = parts as f64 / self.job.len() as f64;
        if let Some(window) = self.window.span() {
            self.worked.jobs +=
                whole * share_within(&(self.begun..Instant::now()), window);
        }
    }
}

/// Returns the share of `span` that lies in `window`, from 0 to 1.
fn share_within(span: &Range<Instant>, window: &Range<Instant>) -> f64 {
    let (from, to) = (span.start.max(window.start), span.end.min(window.end));
    match to.saturating_duration_since(from) {
        Duration::ZERO => 0.0,
        within => within.div_duration_f64(span.end - span.start),
    }
}

/// The ticker's fixed schedule, and how late it ran at each due time.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// The ticker's next due time, which doesn't depend on when it last ran.
    pub(super) due: Instant,
    pub(super) window: Arc<Window>,
    pub(super) late: Vec<Duration>,
    pub(super) tell: Sender<Vec<Duration>>,
}

impl Ticker {
    /// Records the lateness of every due time that has passed. Returns the
    /// next due time, or `None` after the end.
    fn next(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let window = self.window.span();
        let is_before_the_end =
            |due| window.is_none_or(|window| due < window.end);
        while self.due <= now && is_before_the_end(self.due) {
            if window.is_some_and(|window| window.contains(&self.due)) {
                self.late.push(now - self.due);
            }
            self.due += PERIOD;
        }
        if is_before_the_end(self.due) {
            return Some(self.due);
        }
        // An error is ignored: if the receiver is gone, the measurement has
        // already failed.
        let _ = self.tell.send(std::mem::take(&mut self.late));
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::job::Kind;
    use super::*;

    #[test]
    fn a_ticker_that_was_held_up_is_late_for_each_tick_that_it_missed() {
        let (tell, told) = channel();
        let now = Instant::now();
        let due = now - 5 * PERIOD;
        let window = Window::at(due + 2 * PERIOD..due + 4 * PERIOD);
        let mut ticker = Ticker { due, window, late: Vec::new(), tell };
        assert_eq!(ticker.next(), None);
        let late = told.recv().unwrap();
        assert_eq!(late.len(), 2);
        assert_eq!(late[0] - late[1], PERIOD);
        assert!(late[0] >= 3 * PERIOD);
    }

    #[test]
    fn a_job_counts_as_far_as_it_lies_in_the_window() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let window = at(10)..at(20);
        for (from, to, share) in [
            (0, 10, 0.0),
            (5, 15, 0.5),
            (10, 20, 1.0),
            (12, 13, 1.0),
            (18, 26, 0.25),
            (20, 30, 0.0),
            (5, 25, 0.5),
            (15, 15, 0.0),
        ] {
            let found = share_within(&(at(from)..at(to)), &window);
            assert!((found - share).abs() < 1e-9, "{from}..{to}: {found}");
        }
    }

    #[test]
    fn the_first_job_of_a_unit_counts_in_part_and_one_that_was_cut_is_told() {
        let (tell, told) = channel();
        let job = Job::new(Kind::Sleeping, Duration::from_millis(1));
        let first = Job::new(Kind::Sleeping, Duration::from_micros(300));
        let now = Instant::now();
        let mut unit = Unit {
            job,
            first: Some(first),
            begun: now,
            window: Window::at(now..now + Duration::from_secs(60)),
            over: Arc::new(AtomicBool::new(false)),
            worked: Worked::default(),
            tell,
        };
        let over = Arc::clone(&unit.over);
        for (expected, parts) in [(first, 3), (job, 10), (job, 9)] {
            assert_eq!(unit.next(), Some(expected));
            std::thread::sleep(Duration::from_micros(1));
            unit.did(parts);
        }
        over.store(true, Relaxed);
        assert_eq!(unit.next(), None);
        let Worked { jobs, cut } = told.recv().unwrap();
        assert!((jobs - 2.2).abs() < 1e-9, "{jobs}");
        assert_eq!(cut, 1);
    }
}
