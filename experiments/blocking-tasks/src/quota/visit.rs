//! One measurement: a process outside the control group sends requests to a
//! server inside it.

use std::time::Duration;

use harness::Measurement;
use measurement::Source;
use thread_per_core::load::{self, Arrivals, End, Pace, Report, Settings};
use thread_per_core::ApplicationProtocol;

use super::group::Limit;
use super::server::{Kind, Server};

const CONNECTIONS: usize = 50;

/// How long the load runs before answers are counted: two quota periods of
/// 100 ms.
const LEAD_IN: Duration = Duration::from_millis(200);

/// Figures reported in addition to throughput and latency.
pub(super) const ALSO: [(&str, Source); 4] = [
    ("CPU time per request", Source::Getrusage),
    ("CPU share of the server", Source::Getrusage),
    ("share of periods in which it was stopped", Source::Counter),
    ("time per stop", Source::Counter),
];

#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    pub(super) kind: Kind,
    pub(super) workers: usize,
    pub(super) limit: Limit,
    pub(super) work: Duration,
    /// The number of requests per second, at random times. With `None`, each
    /// request is sent as soon as the previous one is answered.
    pub(super) rate: Option<f64>,
}

impl Visit {
    /// # Errors
    ///
    /// If the group can't be created, or the answers were wrong.
    pub(super) fn take(self, window: Duration) -> Result<Measurement, String> {
        let mut server =
            Server::start(self.kind, self.workers, self.work, self.limit)?;
        let pace = self.rate.map_or(Pace::Closed, |rate| Pace::Open {
            rate,
            arrivals: Arrivals::Poisson,
            seed: fastrand::u64(..),
        });
        let settings = Settings {
            connections: CONNECTIONS,
            protocol: ApplicationProtocol::Http,
            pace,
            lead_in: LEAD_IN,
            end: End::After(window),
            ..Settings::of(server.address()?)
        };
        let (before, cpu) = (server.throttling()?, server.cpu_time()?);
        let report =
            load::run(&settings).map_err(|it| format!("the load: {it}"))?;
        let cpu = server.cpu_time()? - cpu;
        let after = server.throttling()?;
        let stops = after.throttled - before.throttled;
        let periods = after.periods - before.periods;
        let stopped = after.stopped - before.stopped;
        let each = |all: f64, of: u64| {
            if of == 0 {
                0.0
            } else {
                all / of as f64
            }
        };
        let all = report.requests() as f64;
        let elapsed = Duration::from_nanos(report.elapsed_ns);
        // The measured CPU time includes the warm-up, which has the same
        // request rate. `share` scales the number of requests up to match.
        let share = (LEAD_IN + elapsed).as_secs_f64() / elapsed.as_secs_f64();
        let also = vec![
            cpu.as_nanos() as f64 / (all * share),
            cpu.div_duration_f64(LEAD_IN + elapsed),
            each(stops as f64, periods),
            each(stopped.as_nanos() as f64, stops),
        ];
        Ok(Measurement { also, ..Measurement::from(checked(report)?) })
    }
}

fn checked(report: Report) -> Result<Report, String> {
    let Report { errors, unanswered, connections, .. } = &report;
    if errors + unanswered + connections.refused == 0 {
        return Ok(report);
    }
    let reason = connections.reason.as_deref().unwrap_or("no reason");
    Err(format!(
        "{} connections were not made, {errors} answers were wrong or lost, and \
         {unanswered} did not come: {reason}",
        connections.refused
    ))
}
