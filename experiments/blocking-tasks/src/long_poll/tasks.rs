//! What a runtime has at once: units that don't give way, and two tasks that would like
//! to run soon.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::Job;

/// How often the ticker wants to run.
const PERIOD: Duration = Duration::from_millis(1);

/// What a contender makes tasks of. It returns when all of them have ended.
#[derive(Debug)]
pub(crate) struct Tasks {
    /// A task each.
    pub(super) units: Vec<Unit>,
    /// A task.
    pub(super) ticker: Ticker,
    /// For a task that reads messages of [`MESSAGE`] bytes and sends each back, until
    /// there are no more. It does not block.
    pub(super) connection: TcpStream,
}

/// How long a message is.
pub(super) const MESSAGE: usize = size_of::<u64>();

/// A unit: `while let Some(job) = unit.next()`, it does the job as the contender has it
/// done, tells by [`Unit::did`], and gives way once, as where the next request is
/// awaited.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(super) job: Job,
    /// The first job is a random part of the others, so that units are not in step. It
    /// does not count.
    pub(super) first: Option<Job>,
    pub(super) over: Arc<AtomicBool>,
    pub(super) tell: Sender<Worked>,
    pub(super) begun: Option<Instant>,
    pub(super) worked: Worked,
}

/// What a unit did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Worked {
    /// How many jobs.
    pub(super) jobs: u64,
    /// How many of them were not done as a whole.
    pub(super) cut: u64,
    /// Within which time.
    pub(super) time: Duration,
}

impl Unit {
    /// The next job, unless all is over.
    pub(super) fn next(&mut self) -> Option<Job> {
        if let Some(first) = self.first {
            return Some(first);
        }
        let begun = *self.begun.get_or_insert_with(Instant::now);
        // One job at least, or there would be no figure.
        if self.worked.jobs == 0 || !self.over.load(Relaxed) {
            return Some(self.job);
        }
        self.worked.time = begun.elapsed();
        // If nobody wants to know, the visit has failed already.
        let _ = self.tell.send(self.worked);
        None
    }

    /// So many parts of the job were done.
    pub(super) fn did(&mut self, parts: u64) {
        match self.first.take() {
            Some(first) => self.worked.cut += u64::from(parts != first.len()),
            None => {
                self.worked.jobs += 1;
                self.worked.cut += u64::from(parts != self.job.len());
            }
        }
    }
}

/// The ticker: `while let Some(due) = ticker.next()`, it sleeps until then.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// When it is due next, whenever it ran before.
    pub(super) due: Instant,
    /// From when on its lateness counts.
    pub(super) begin: Instant,
    pub(super) end: Instant,
    pub(super) late: Vec<Duration>,
    pub(super) tell: Sender<Vec<Duration>>,
}

impl Ticker {
    /// Notes how late it is with all that is due, and returns when it will be next,
    /// unless that is after the end.
    pub(super) fn next(&mut self) -> Option<Instant> {
        let now = Instant::now();
        while self.due <= now && self.due < self.end {
            if self.due >= self.begin {
                self.late.push(now - self.due);
            }
            self.due += PERIOD;
        }
        if self.due < self.end {
            return Some(self.due);
        }
        // If nobody wants to know, the visit has failed already.
        let _ = self.tell.send(std::mem::take(&mut self.late));
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_ticker_that_was_held_up_is_late_for_each_tick_that_it_missed() {
        let (tell, told) = channel();
        let now = Instant::now();
        let due = now - 5 * PERIOD;
        let (begin, end) = (due + 2 * PERIOD, due + 4 * PERIOD);
        let mut ticker = Ticker { due, begin, end, late: Vec::new(), tell };
        assert_eq!(ticker.next(), None);
        let late = told.recv().unwrap();
        assert_eq!(late.len(), 2);
        assert_eq!(late[0] - late[1], PERIOD);
        assert!(late[0] >= 3 * PERIOD);
    }

    #[test]
    fn the_first_job_of_a_unit_does_not_count_and_a_job_that_was_cut_is_told() {
        let (tell, told) = channel();
        let kind = super::super::job::Kind::Sleeping;
        let job = Job::new(kind, Duration::from_millis(1));
        let first = Job::new(kind, Duration::from_micros(300));
        let over = Arc::new(AtomicBool::new(false));
        let (begun, worked) = (None, Worked::default());
        let first = Some(first);
        let mut unit =
            Unit { job, first, over: Arc::clone(&over), tell, begun, worked };
        assert_eq!(unit.next(), first);
        unit.did(3);
        assert_eq!(unit.next(), Some(job));
        unit.did(10);
        assert_eq!(unit.next(), Some(job));
        unit.did(9);
        over.store(true, Relaxed);
        assert_eq!(unit.next(), None);
        let Worked { jobs, cut, .. } = told.recv().unwrap();
        assert_eq!((jobs, cut), (2, 1));
    }
}
