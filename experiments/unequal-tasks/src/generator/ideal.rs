//! Simulates two workers without a runtime. The load generator either runs on
//! the workers' cores or takes no time.

use std::sync::LazyLock;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::requests::{Arrivals, Requests};
use super::runtimes;
use super::setting::{LOAD_PERCENT, SHARE, TOKIO, WAIT};
use super::visit;
use super::workers::WORKERS;

const REQUESTS: u32 = 500_000;

/// The results of a simulation, in the order in which [`take`] returns them.
pub(super) const QUANTITIES: [&str; 3] = [WAIT, "latency p50", "latency p99"];

/// The rule by which a worker is chosen for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queues {
    /// A request is served by the worker of its connection, and the
    /// connection is chosen at random.
    OneEach,
    /// A request is served by the worker that is free first.
    OneForAll,
}

impl Queues {
    pub(super) fn name(self) -> &'static str {
        match self {
            Queues::OneEach => "one for each",
            Queues::OneForAll => "one for all",
        }
    }
}

/// The CPU time that the simulated load generator takes per request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generator {
    /// The generator takes no time at all.
    Free,
    /// The generator takes the measured time. It runs on the core of an idle
    /// worker. If both workers are busy, it interrupts one of them.
    OnTheirCores,
}

impl Generator {
    pub(super) fn name(self) -> &'static str {
        match self {
            Generator::Free => "free",
            Generator::OnTheirCores => "simulated",
        }
    }
}

/// Returns how much CPU time the load generator uses per request on this
/// machine. It is measured once per process.
fn price() -> Result<Duration, String> {
    const WINDOW: Duration = Duration::from_millis(500);
    static PRICE: LazyLock<Result<Duration, String>> = LazyLock::new(|| {
        let measured = visit::take(runtimes::tokio, SHARE, WINDOW)?;
        Ok(Duration::from_nanos(measured.also[visit::CPU_TIME_PLACE] as u64))
    });
    PRICE.clone()
}

/// Returns the name under which the generator's CPU time per request is
/// reported.
pub(super) fn price_row() -> String {
    let (load, told) = (LOAD_PERCENT, visit::CPU_TIME);
    format!(
        "generator: {}, generator=a thread, load_percent={load}, requests=unequal, runtimes=one, {told}",
        TOKIO
    )
}

/// Simulates requests, and returns one result for each of the [`QUANTITIES`].
/// `share` is the part of the workers' time that requests take.
///
/// # Errors
///
/// If the generator's CPU time cannot be measured.
pub(super) fn take(
    queues: Queues,
    generator: Generator,
    share: f64,
) -> Result<[f64; QUANTITIES.len()], String> {
    let price = match generator {
        Generator::Free => Duration::ZERO,
        Generator::OnTheirCores => price()?,
    };
    Ok(simulate(queues, price, share))
}

fn simulate(
    queues: Queues,
    price: Duration,
    share: f64,
) -> [f64; QUANTITIES.len()] {
    let mut free = [Duration::ZERO; WORKERS];
    let mut sent = Duration::ZERO;
    let mut waited = Duration::ZERO;
    let mut latencies =
        Histogram::<u64>::new(3).expect("three digits are allowed");
    for due in Arrivals::of(share).take(REQUESTS as usize) {
        let taken_up = due.max(sent);
        sent = taken_up + price;
        if free.iter().all(|free| *free > taken_up) {
            free[fastrand::usize(..WORKERS)] += price;
        }
        let worker = match queues {
            Queues::OneEach => &mut free[fastrand::usize(..WORKERS)],
            Queues::OneForAll => {
                free.iter_mut().min().expect("there is a worker")
            }
        };
        let begun = sent.max(*worker);
        *worker = begun + Requests::Unequal.draw();
        waited += begun - due;
        latencies += (*worker - due).as_nanos() as u64;
    }
    let mean_wait = waited.as_nanos() as f64 / f64::from(REQUESTS);
    let percentile = |share| latencies.value_at_quantile(share) as f64;
    [mean_wait, percentile(0.5), percentile(0.99)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_wait(queues: Queues, price_us: u64) -> f64 {
        simulate(queues, Duration::from_micros(price_us), 0.5)[0]
    }

    /// Checks the simulation of one queue per worker against the
    /// Pollaczek-Khinchine formula. A test of `unequal-tasks` does the same
    /// for the simulation there.
    #[test]
    fn a_generator_that_takes_no_time_leaves_the_queues_as_they_are() {
        let each = mean_wait(Queues::OneEach, 0);
        assert!((each / 425_300.0 - 1.0).abs() < 0.2, "{each}");
        let all = mean_wait(Queues::OneForAll, 0);
        assert!(all < 0.5 * each, "{all} and {each}");
    }

    /// Every request waits for the generator. Some requests also wait for a
    /// worker that the generator interrupts.
    #[test]
    fn requests_wait_for_the_generator_at_least() {
        for queues in [Queues::OneEach, Queues::OneForAll] {
            let [free, priced] = [0, 20].map(|price| mean_wait(queues, price));
            assert!(priced > free + 15_000.0, "{priced} and {free}");
        }
    }
}
