//! The result of running the load generator.

use std::time::Duration;

use harness::Measurement;
use serde::{Deserialize, Serialize};

use super::cpu_time::CpuShare;
use super::distribution::Distribution;
use super::percentile::Percentile;
use super::punctuality::Punctuality;

/// The result of running the load generator. All counts cover the measured
/// requests only: those answered in the window (closed loop), or those due in
/// it (open loop).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Nanoseconds from the beginning of the window to its end, or to the
    /// last answer to a request that was due in it.
    pub elapsed_ns: u64,
    /// The number of requests that got the right answer.
    pub answered: u64,
    /// The number of requests per second that got the right answer.
    pub achieved: f64,
    /// The number of requests that failed: `wrong` and `lost` together.
    pub errors: u64,
    /// The number of answers with a wrong byte.
    pub wrong: u64,
    /// The number of requests that were lost because their connection broke,
    /// or had broken before.
    pub lost: u64,
    /// The number of requests without an answer when the load stopped
    /// waiting. In a closed loop, this includes requests made before the
    /// window.
    pub unanswered: u64,
    /// The latencies of right answers, in nanoseconds. In a closed loop, a
    /// latency begins when the request is sent; in an open loop, when it is
    /// due.
    pub latencies_ns: Distribution,
    /// In an open loop, the number of requests per second that were due.
    pub offered: Option<f64>,
    /// In an open loop, how well the load generator kept its schedule.
    pub punctuality: Option<Punctuality>,
    /// The CPU time of the load generator itself, for all its threads
    /// together.
    pub cpu: CpuShare,
    /// How many connections were opened, failed or broke, and how evenly they
    /// were served.
    pub connections: Connections,
}

/// How many connections were opened, failed or broke, and how evenly they
/// were served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// The number of connections that were opened.
    pub made: u64,
    /// The number of connections that could not be opened.
    pub refused: u64,
    /// The number of connections that broke after they were opened.
    pub broken: u64,
    /// The error of the first connection that failed or, if none failed, of
    /// the first one that broke.
    pub reason: Option<String>,
    /// The number of right answers on the connection that got the fewest.
    pub least: u64,
    /// The median number of right answers per connection.
    pub median: u64,
    /// The number of right answers on the connection that got the most.
    pub most: u64,
}

impl Report {
    /// Returns the number of measured requests, answered or not.
    pub fn requests(&self) -> u64 {
        self.answered + self.errors + self.unanswered
    }

    /// Returns the latency percentile `thousandths`, such as 999 for p99.9.
    /// Requests without a right answer are treated as slower than all others.
    pub fn percentile(&self, thousandths: u64) -> Percentile {
        Percentile::of(&self.latencies_ns, self.requests(), thousandths)
    }
}

impl From<Report> for Measurement {
    /// Converts the report to a measurement. Only an open loop has latencies:
    /// those of a closed loop would omit the delays that matter.
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
