//! The thread that hands over jobs, one at a time.

use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;
use measurement::Source;
use nix::sys::resource::{getrusage, Usage, UsageWho};
use nix::time::{clock_gettime, ClockId};

use super::job::Job;
use crate::timer::{be_woken_in_time, sleep_until};

/// How long jobs run before the measurement, until the pool has settled.
const LEAD_IN: Duration = Duration::from_millis(50);

/// The CPU time of the whole process. The threads wake each other, so the CPU
/// time of a single thread means little.
pub(super) const CPU_TIME: &str = "CPU time per job";

/// Figures reported in addition to throughput and waiting times.
pub(super) const ALSO: [(&str, Source); 3] = [
    (CPU_TIME, Source::Getrusage),
    // The CPU time of all threads except the one that hands over jobs.
    ("CPU time per job of others", Source::Getrusage),
    ("context switches per job", Source::Getrusage),
];

/// The number of jobs per second, and the duration of the measurement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) rate: f64,
    pub(super) window: Duration,
}

impl Load {
    /// Passes one job after another to `hand_over`, which returns the job's
    /// result. The jobs are due at least half a mean interval apart, so a job
    /// that finishes within that time runs alone.
    pub(super) fn run(
        self,
        mut hand_over: impl FnMut(Job) -> u64,
    ) -> Result<Measurement, String> {
        be_woken_in_time();
        let interval = Duration::from_secs_f64(1.0 / self.rate);
        let begin = Instant::now() + LEAD_IN.max(interval.mul_f64(1.5));
        let end = begin + self.window;
        let mut due = Instant::now();
        let mut used_before = None;
        let mut waited = Histogram::new(3).expect("three digits are possible");
        for number in 0.. {
            due += interval.mul_f64(0.5 + fastrand::f64());
            if due >= begin && used_before.is_none() {
                sleep_until(begin);
                used_before = Some(Used::now()?);
            }
            // The loop ends only after at least one job has been measured,
            // even if the measurement is very short.
            if due >= end && !waited.is_empty() {
                break;
            }
            sleep_until(due);
            let job = Job::new(number);
            let handed_over = Instant::now();
            let result = hand_over(job);
            if used_before.is_some() {
                waited += handed_over.elapsed().as_nanos() as u64;
            }
            if result != job.answer() {
                return Err(format!("job {number} has another job's result"));
            }
        }
        sleep_until(end);
        let elapsed = begin.elapsed();
        let before = used_before.expect("the window has begun");
        let used = Used::now()?.since(&before);
        let per_job = |used: f64| used / waited.len() as f64;
        let also = vec![
            per_job(used.all.as_nanos() as f64),
            per_job(used.others().as_nanos() as f64),
            per_job(used.switches as f64),
        ];
        Ok(Measurement {
            answered: waited.len(),
            elapsed,
            offered: Some(self.rate),
            latencies: Some(waited),
            also,
            ..Measurement::default()
        })
    }
}

/// The resources that the process has used since its start, or between two
/// moments.
#[derive(Debug)]
struct Used {
    all: Duration,
    own: Duration,
    switches: i64,
}

impl Used {
    fn now() -> Result<Used, String> {
        let now = || {
            let time = |clock| clock_gettime(clock).map(Duration::from);
            let switches = |of: Usage| {
                of.voluntary_context_switches()
                    + of.involuntary_context_switches()
            };
            Ok(Used {
                all: time(ClockId::CLOCK_PROCESS_CPUTIME_ID)?,
                own: time(ClockId::CLOCK_THREAD_CPUTIME_ID)?,
                switches: switches(getrusage(UsageWho::RUSAGE_SELF)?),
            })
        };
        now().map_err(|error: nix::Error| format!("what was used: {error}"))
    }

    fn since(&self, before: &Used) -> Used {
        Used {
            all: self.all - before.all,
            own: self.own - before.own,
            switches: self.switches - before.switches,
        }
    }

    /// Returns the CPU time of all threads except the calling one. A negative
    /// time, possible because two clocks are read one after the other,
    /// becomes zero.
    fn others(&self) -> Duration {
        self.all.saturating_sub(self.own)
    }
}
