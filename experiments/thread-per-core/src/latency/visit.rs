//! One visit: a server, what it can do, and then an open loop of less than that.

use std::path::Path;
use std::time::Duration;

use harness::Measurement;
use measurement::Source;

use crate::echo::setting::Setting;
use crate::echo::visit::{observe, settings, start};
use crate::load::{Arrivals, End, Pace, Punctuality, Settings};
use crate::serve::Server;

/// For how long requests are due that are measured, at least.
pub(super) const WINDOW: Duration = Duration::from_millis(400);

/// How many requests are measured, at least. Five visits, those of a full run, have so
/// many that 100 are slower than their p99.9.
const LEAST_REQUESTS: u64 = 20_000;

/// How long a server is asked before anything is counted.
const LEAD_IN: Duration = Duration::from_millis(50);

/// How long a closed loop takes to find the capacity. In `echo`, what a server can do
/// differs from one visit of a second to the next by a standard deviation of 2 to 10 %,
/// so a share of what was found in another visit would be another load: it is measured
/// in the same one.
const CAPACITY_WINDOW: Duration = Duration::from_millis(250);

/// A server that answers fewer than this share of a rate that is the same for all is
/// overloaded: how long requests wait then depends on when the window ends.
const CARRIED: f64 = 0.75;

/// How many requests are made a second.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rate {
    /// This share of what a closed loop gets from the same process just before.
    OfCapacity(f64),
    /// So many.
    Fixed(f64),
}

impl Rate {
    /// What windows tell beside throughput and latency. Latencies below the lateness of
    /// the load itself tell of the load.
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

/// What an open loop with Poisson arrivals finds of the server, after a closed one where
/// the rate depends on what the server can do.
///
/// # Errors
///
/// What is wrong with the server or the load.
pub(super) fn open_loop(
    program: &Path,
    server: &Server,
    setting: Setting,
    rate: Rate,
    window: Duration,
) -> Result<Measurement, String> {
    let mut running = start(program, server, setting.cores)?;
    // When only answers are checked, each connection asks as long as that takes.
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
    // Each visit draws arrivals of its own.
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

/// By how much the load itself was late: p99 and p99.9, in nanoseconds.
fn lateness(punctuality: &Punctuality) -> [f64; 2] {
    let lateness = punctuality.lateness_ns.histogram();
    [0.99, 0.999].map(|share| lateness.value_at_quantile(share) as f64)
}
