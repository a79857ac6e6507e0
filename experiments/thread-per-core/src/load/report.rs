//! What a load found.

use std::time::Duration;

use harness::Measurement;
use serde::{Deserialize, Serialize};

use super::cpu_time::CpuShare;
use super::distribution::Distribution;
use super::percentile::Percentile;
use super::punctuality::Punctuality;

/// What a load found. All counts are of the measured requests: in a closed loop those
/// that were answered in the window, in an open loop those that were due in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// From the beginning of the window to its end, or to the last answer of the
    /// requests that were due in it, in nanoseconds.
    pub elapsed_ns: u64,
    /// Requests that got the right answer.
    pub answered: u64,
    /// Requests that got the right answer, a second.
    pub achieved: f64,
    /// Requests that failed: `wrong` and `lost`.
    pub errors: u64,
    /// Those whose answer had a wrong byte.
    pub wrong: u64,
    /// Those on connections that broke, or had broken before.
    pub lost: u64,
    /// Requests that had no answer when the patience was over, in a closed loop those
    /// that were made before the window, too.
    pub unanswered: u64,
    /// Nanoseconds to the right answers: in a closed loop from when a request was sent,
    /// in an open loop from when it was due.
    pub latencies_ns: Distribution,
    /// Requests that were due, a second, in an open loop.
    pub offered: Option<f64>,
    /// How the schedule was kept, in an open loop.
    pub punctuality: Option<Punctuality>,
    /// CPU time of the load itself, all threads together.
    pub cpu: CpuShare,
    /// What became of the connections.
    pub connections: Connections,
}

/// What became of the connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// Those that were made.
    pub made: u64,
    /// Those that were not.
    pub refused: u64,
    /// Those that broke, of those that were made.
    pub broken: u64,
    /// Why the first was not made, or broke.
    pub reason: Option<String>,
    /// Right answers on the connection that had the fewest of those made.
    pub least: u64,
    /// On the one in the middle.
    pub median: u64,
    /// On the one that had the most.
    pub most: u64,
}

impl Report {
    /// The measured requests, answered or not.
    pub fn requests(&self) -> u64 {
        self.answered + self.errors + self.unanswered
    }

    /// A percentile of the latencies, in thousandths: 999 for p99.9. Requests without a
    /// right answer are slower than any that had one.
    pub fn percentile(&self, thousandths: u64) -> Percentile {
        Percentile::of(&self.latencies_ns, self.requests(), thousandths)
    }
}

impl From<Report> for Measurement {
    /// What an experiment makes rows of. Latencies are those of an open loop only:
    /// those of a closed one leave out what they are to tell.
    fn from(report: Report) -> Measurement {
        let open = report.punctuality.as_ref();
        Measurement {
            answered: report.answered,
            elapsed: Duration::from_nanos(report.elapsed_ns),
            errors: report.errors + report.unanswered,
            offered: report.offered,
            late: open.map(|open| open.late),
            latencies: open.map(|_| report.latencies_ns.histogram().clone()),
            ..Measurement::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report of these latencies, and of requests that had no answer.
    fn report(
        latencies: impl IntoIterator<Item = u64>,
        unanswered: u64,
    ) -> Report {
        let mut latencies_ns = Distribution::default();
        latencies.into_iter().for_each(|latency| latencies_ns.record(latency));
        Report {
            elapsed_ns: 2_000_000_000,
            answered: latencies_ns.count(),
            achieved: latencies_ns.count() as f64 / 2.0,
            errors: 0,
            wrong: 0,
            lost: 0,
            unanswered,
            latencies_ns,
            offered: None,
            punctuality: None,
            cpu: CpuShare::default(),
            connections: Connections {
                made: 1,
                refused: 0,
                broken: 0,
                reason: None,
                least: 0,
                median: 0,
                most: 0,
            },
        }
    }

    #[test]
    fn latencies_of_a_closed_loop_are_no_measurement() {
        let closed = report(1..=10, 2);
        let measurement = Measurement::from(closed.clone());
        assert_eq!((measurement.answered, measurement.errors), (10, 2));
        assert_eq!(measurement.elapsed, Duration::from_secs(2));
        assert_eq!((measurement.offered, measurement.late), (None, None));
        assert!(measurement.latencies.is_none());

        let mut punctuality = Punctuality::default();
        punctuality.note(60_000, false);
        let (offered, punctuality) = (Some(6.0), Some(punctuality));
        let open = Report { offered, punctuality, ..closed };
        let measurement = Measurement::from(open);
        assert_eq!(
            (measurement.offered, measurement.late),
            (Some(6.0), Some(1))
        );
        assert_eq!(measurement.latencies.unwrap().len(), 10);
    }
}
