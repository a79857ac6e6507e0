//! Experiment `simulated`: the same batch without threads and runtimes, on any number of
//! workers. A task takes as long as it takes; what the workers do beside tasks has prices
//! that are measured in the same process.
//!
//! It is called valid for tasks that only compute, light ones of 5 us and more, on as
//! many workers as the machine has cores, all of them as fast, for threads that are dealt
//! tasks or share an index, and for our executor that steals. There, it is held against
//! the experiment `batch`. Elsewhere nobody has compared it with anything.

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

/// On so many workers a batch is simulated.
const WORKERS: [usize; 9] = [1, 2, 4, 8, 16, 24, 32, 64, 128];

/// As many cores as the machine has on which it was published.
const PUBLISHED_CORES: usize = 24;

/// The light task where nothing else is said.
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

/// From here, one of them is changed at a time.
const CENTRE: Scenario = Scenario {
    workers: PUBLISHED_CORES,
    light_ns: LIGHT_NS,
    has_prices: true,
    slow_speed_percent: 100,
};

/// Where nothing but tasks takes time.
const FREE: Scenario = Scenario { has_prices: false, ..CENTRE };

/// How many times as long as a request takes on average it waits for one worker, by the share of
/// the worker's time that requests take.
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

/// One batch on two workers, to be held against a measured one: with the company that the
/// machine's cores are to each other.
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

/// Many shuffles on cores that are no company to each other, dealt out in turn: the median, the
/// lucky ones and the unlucky ones.
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

/// In how many shuffles it comes out as published.
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
