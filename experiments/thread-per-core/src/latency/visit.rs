//! Measures a server's latency: first finds the server's capacity, then runs
//! an open loop at a lower rate.

use std::path::Path;
use std::time::Duration;

use harness::Measurement;
use measurement::Source;

use crate::echo::setting::Setting;
use crate::echo::visit::{observe, settings, start};
use crate::load::{Arrivals, End, Pace, Punctuality, Settings};
use crate::serve::Server;

/// The minimum time that an open loop takes to send its measured requests.
pub(super) const WINDOW: Duration = Duration::from_millis(400);

/// The minimum number of measured requests. A full run measures five times,
/// so 100 requests in all are slower than the 99.9th percentile.
const LEAST_REQUESTS: u64 = 20_000;

const LEAD_IN: Duration = Duration::from_millis(50);

/// How long a closed loop runs to find the server's capacity, just before the
/// open loop and in the same server process. In `echo`, a server's capacity
/// differs between measurements of a second by a standard deviation of 2 to
/// 10 %, so a share of a capacity that was measured earlier would be a
/// different load.
const CAPACITY_WINDOW: Duration = Duration::from_millis(250);

/// The minimum share of a fixed rate that a server must answer. A server that
/// answers less is overloaded, and its latency depends on when the
/// measurement ends.
const CARRIED: f64 = 0.75;

#[derive(Debug, Clone, Copy)]
pub(super) enum Rate {
    /// A share of the rate that a closed loop has just reached with the same
    /// server process.
    OfCapacity(f64),
    Fixed(f64),
}

impl Rate {
    /// Returns the quantities that are measured in addition to throughput and
    /// latency. They include the lateness of the load generator: a latency
    /// below that describes the load generator, not the server.
    pub(super) fn also(self) -> &'static [(&'static str, Source)] {
        const ALSO: [(&str, Source); 3] = [
            ("lateness p99", Source::Histogram),
            ("lateness p99.9", Source::Histogram),
            ("capacity", Source::Harness),
        ];
        match self {
            Rate::OfCapacity(_) => &ALSO,
            Rate::Fixed(_) => &ALSO[..2],
        }
    }
}

/// Runs an open loop with Poisson arrivals. If the rate depends on the
/// server's capacity, runs a closed loop first.
///
/// # Errors
///
/// If the server or the load fails.
pub(super) fn open_loop(
    program: &Path,
    server: &Server,
    setting: Setting,
    rate: Rate,
    window: Duration,
) -> Result<Measurement, String> {
    let mut running = start(program, server, setting.cores)?;
    // If `window` is too short to measure, only checks the answers, with two
    // requests per connection.
    let is_check = window < WINDOW;
    let few = End::Requests(2 * setting.connections as u64);
    let (lead_in, end) = if is_check {
        (Duration::ZERO, few)
    } else {
        (LEAD_IN, End::After(CAPACITY_WINDOW))
    };
    let closed = settings(&running, setting, lead_in, end)?;
    let mut asked = |settings: &Settings| {
        let seen = observe(program, &mut running, settings, setting.cores)?;
        Ok::<_, String>(seen.load)
    };
    let (rate, least, capacity) = match rate {
        Rate::OfCapacity(share) => {
            let capacity = asked(&closed)?.achieved;
            (share * capacity, 0.0, Some(capacity))
        }
        Rate::Fixed(rate) => (rate, CARRIED * rate, None),
    };
    // A fresh seed, so that each measurement draws different arrivals.
    let (arrivals, seed) = (Arrivals::Poisson, fastrand::u64(..));
    let due =
        End::Requests(LEAST_REQUESTS.max((rate * window.as_secs_f64()) as u64));
    let open = Settings {
        pace: Pace::Open { rate, arrivals, seed },
        end: if is_check { few } else { due },
        ..closed
    };
    let report = asked(&open)?;
    if !is_check && report.achieved < least {
        return Err(format!(
            "{rate:.0} requests a second are more than it can answer: it answered {:.0}",
            report.achieved
        ));
    }
    let late = report.punctuality.as_ref().map(lateness).unwrap_or_default();
    let also = late.into_iter().chain(capacity).collect();
    Ok(Measurement { also, ..report.into() })
}

/// Returns how late the load generator sent its requests: the 99th and the
/// 99.9th percentile, in nanoseconds.
fn lateness(punctuality: &Punctuality) -> [f64; 2] {
    let lateness = punctuality.lateness_ns.histogram();
    [0.99, 0.999].map(|share| lateness.value_at_quantile(share) as f64)
}
