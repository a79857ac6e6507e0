//! Experiment `simulated`: simulates the batch of the experiment `batch`,
//! without threads and runtimes, on any number of workers. A task takes its
//! nominal time. The workers' other actions, such as spawning, take times
//! that are measured in the same process.
//!
//! The simulation is considered valid for tasks that only compute, of which
//! the light ones take 5 us or more, on as many workers as the machine has
//! cores, all equally fast. It covers threads to which tasks are dealt,
//! threads that share an index, and our executor that steals. For these, it
//! is compared with the experiment `batch`; outside this range, it has been
//! compared with nothing.

use harness::{room_for_cores, Cell, Experiment};
use measurement::Source;

use crate::orders::Order;
use crate::unequal_tasks::formula::mean_wait;
use policies::{Policy, Workers};
use prices::Prices;
use shuffles::{Scenario, Shuffles};

mod policies;
mod prices;
mod shuffles;

const WORKERS: [usize; 9] = [1, 2, 4, 8, 16, 24, 32, 64, 128];

/// The number of cores of the machine on which the published benchmark ran.
const PUBLISHED_CORES: usize = 24;

const LIGHT_NS: u64 = 5_000;

const MAKESPAN: &str = "makespan";

pub(crate) fn experiment() -> Experiment {
    let over_workers = WORKERS.map(|workers| Scenario { workers, ..FREE });
    let at_published_cores = [
        CENTRE,
        Scenario { light_ns: 20_000, ..CENTRE },
        Scenario { slow_speed_percent: 75, ..CENTRE },
        Scenario { slow_speed_percent: 50, ..CENTRE },
    ];
    Experiment::new("simulated", MAKESPAN, "baseline")
        .cells(waits())
        .cells(prices::cells())
        .cells(
            [Order::EveryTenth, Order::Shuffled(1)].into_iter().flat_map(batch),
        )
        .cells(
            over_workers
                .into_iter()
                .chain(at_published_cores)
                .flat_map(percentiles),
        )
        .cells([FREE].into_iter().chain(at_published_cores).map(shares))
}

/// The default scenario. Every other scenario differs from it in one value.
const CENTRE: Scenario = Scenario {
    workers: PUBLISHED_CORES,
    light_ns: LIGHT_NS,
    has_prices: true,
    slow_speed_percent: 100,
};

/// A scenario in which workers spend time only on tasks. Spawning, stealing
/// and other actions take no time.
const FREE: Scenario = Scenario { has_prices: false, ..CENTRE };

/// Computes the mean wait for one worker at several utilisations, in
/// multiples of the mean request time.
fn waits() -> impl Iterator<Item = Cell> {
    let mut unequal = [1.0; 10];
    unequal[9] = 50.0;
    let requests = [("equal", [1.0; 10]), ("unequal", unequal)];
    requests.into_iter().flat_map(|(requests, lengths)| {
        (10..=90_i64).step_by(10).map(move |load_percent| {
            let take = move || {
                let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
                let wait = mean_wait(&lengths, load_percent as f64 / 100.0);
                Ok(vec![wait / mean])
            };
            let quantity = "ratio of waiting time to a request";
            Cell::readings("baseline", Source::Simulation, &[quantity], take)
                .parameter("requests", requests)
                .parameter("queues", "one for each")
                .parameter("load_percent", load_percent)
        })
    })
}

/// Simulates one batch on two workers, for comparison with measured batches.
/// The simulated cores slow each other down as much as the machine's cores
/// do.
fn batch(order: Order) -> impl Iterator<Item = Cell> {
    Policy::ALL.into_iter().map(move |policy| {
        let take = move || {
            let prices = Prices::measured()?;
            let lengths = order.lengths(LIGHT_NS);
            let workers =
                Workers { company: prices.company, ..Workers::alike(2) };
            let done = policies::completions(policy, &lengths, workers, prices);
            Ok(vec![done.into_iter().max().unwrap_or(0) as f64])
        };
        simulated(policy, &[MAKESPAN], take)
            .parameter("order", &*order.name())
            .parameter("light_ns", LIGHT_NS as i64)
            .parameter("workers", 2)
            .parameter("times_prices", 1)
            .parameter("slow_speed_percent", 100)
    })
}

/// Simulates many shuffles of a batch that is distributed in turn, on cores
/// that don't slow each other down. Reports a median, a lucky and an unlucky
/// shuffle.
fn percentiles(scenario: Scenario) -> impl Iterator<Item = Cell> {
    let shuffles =
        [(5, "lucky (5 in 100)"), (50, "median"), (95, "unlucky (5 in 100)")];
    shuffles.into_iter().map(move |(percentile, name)| {
        let take = move || {
            let all = Shuffles::of(scenario)?;
            let ratios = [all.to_stealing(), all.p99_to_stealing()];
            Ok(ratios.map(|of| shuffles::percentile(of, percentile)).to_vec())
        };
        let quantities = [
            "ratio of makespan to stealing",
            "ratio of latency p99 to stealing",
        ];
        let cell = simulated(Policy::RoundRobin, &quantities, take);
        scenario.stated(cell).parameter("shuffle", name)
    })
}

/// Creates a benchmark that reports which shares of the shuffles reach the
/// published results.
fn shares(scenario: Scenario) -> Cell {
    let take = move || {
        let all = Shuffles::of(scenario)?;
        Ok(vec![all.as_published(), all.as_published_with_p99()])
    };
    let quantities = [
        "share of shuffles as late as published",
        "share of shuffles as late with as early a p99",
    ];
    scenario.stated(simulated(Policy::RoundRobin, &quantities, take))
}

fn simulated(
    policy: Policy,
    quantities: &[&str],
    take: impl Fn() -> Result<Vec<f64>, String> + 'static,
) -> Cell {
    let prices = match policy {
        Policy::RoundRobin | Policy::SharedIndex => prices::of_threads(),
        Policy::Stealing => prices::of_stealing(),
    };
    Cell::readings("baseline", Source::Simulation, quantities, take)
        .parameter("policy", policy.name())
        .derived_from(prices)
        .needs(|| room_for_cores(2))
}
