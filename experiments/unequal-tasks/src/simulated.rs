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
use policies::{Policy, Workers};
use prices::Prices;
use shuffles::{Scenario, Shuffles};

mod policies;
mod prices;
mod queues;
mod shuffles;

/// On so many workers a batch is simulated.
const WORKERS: [usize; 9] = [1, 2, 4, 8, 16, 24, 32, 64, 128];

/// As many cores as the machine has on which it was published, and threads.
const PUBLISHED_CORES: usize = 24;
const PUBLISHED_THREADS: usize = 32;

/// The light task where nothing else is said.
const LIGHT_NS: u64 = 5_000;

/// Which of the shuffles, by the percentile.
const LUCKY: (u64, &str) = (5, "lucky (5 in 100)");
const MEDIAN: (u64, &str) = (50, "median");
const UNLUCKY: (u64, &str) = (95, "unlucky (5 in 100)");

const MAKESPAN: &str = "makespan";
const TO_EVEN: &str = "ratio of makespan to an even split";
const TO_STEALING: &str = "ratio of makespan to stealing";
const P99_TO_STEALING: &str = "ratio of latency p99 to stealing";
const PUBLISHED: &str = "share of shuffles as late as published";
const PUBLISHED_P99: &str = "share of shuffles as late with as early a p99";

pub(crate) fn experiment() -> Experiment {
    let over_workers = [0, 1].into_iter().flat_map(|times_prices| {
        WORKERS.map(|workers| Scenario { workers, times_prices, ..CENTRE })
    });
    Experiment::new("simulated", MAKESPAN, "baseline")
        .cells(queues::cells())
        .cells(prices::cells())
        .cells(measured_batches().flat_map(batch))
        .cells(over_workers.flat_map(percentiles))
        .cells(at_published_cores().into_iter().flat_map(percentiles))
        .cells(
            [CENTRE, FREE, Scenario { workers: PUBLISHED_THREADS, ..FREE }]
                .into_iter()
                .chain(at_published_cores())
                .map(shares),
        )
}

/// From here, one of them is changed at a time.
const CENTRE: Scenario = Scenario {
    workers: PUBLISHED_CORES,
    light_ns: LIGHT_NS,
    times_prices: 1,
    slow_speed_percent: 100,
};

/// Where nothing but tasks takes time.
const FREE: Scenario = Scenario { times_prices: 0, ..CENTRE };

/// What would be another on 24 cores: other tasks, other prices, cores of two speeds.
fn at_published_cores() -> [Scenario; 5] {
    [
        Scenario { light_ns: 1_000, ..CENTRE },
        Scenario { light_ns: 20_000, ..CENTRE },
        Scenario { times_prices: 10, ..CENTRE },
        Scenario { slow_speed_percent: 75, ..CENTRE },
        Scenario { slow_speed_percent: 50, ..CENTRE },
    ]
}

/// The settings of the experiment `batch`: order, light task, workers.
fn measured_batches() -> impl Iterator<Item = (Order, u64, usize)> {
    let centre = Order::EveryTenth;
    let named = [centre, Order::HeavyFirst, Order::HeavyLast];
    let orders = named.into_iter().chain((1..=8).map(Order::Shuffled));
    orders
        .map(|order| (order, LIGHT_NS, 2))
        .chain([1_000, 20_000].map(|light_ns| (centre, light_ns, 2)))
        .chain([(centre, LIGHT_NS, 1)])
}

/// One batch, to be held against a measured one: with the company that the machine's
/// cores are to each other.
fn batch(
    (order, light_ns, workers): (Order, u64, usize),
) -> impl Iterator<Item = Cell> {
    Policy::ALL.into_iter().map(move |policy| {
        let take = move || {
            let prices = Prices::measured()?;
            let lengths = order.lengths(light_ns);
            let workers =
                Workers { company: prices.company, ..Workers::alike(workers) };
            let done = policies::completions(policy, &lengths, workers, prices);
            Ok(vec![done.into_iter().max().unwrap_or(0) as f64])
        };
        simulated(policy, &[MAKESPAN], take)
            .parameter("order", &*order.name())
            .parameter("light_ns", light_ns as i64)
            .parameter("workers", workers as i64)
            .parameter("times_prices", 1)
            .parameter("slow_speed_percent", 100)
    })
}

/// Many shuffles on cores that are no company to each other: the median, and of tasks
/// that are dealt out in turn the lucky ones and the unlucky ones.
fn percentiles(scenario: Scenario) -> impl Iterator<Item = Cell> {
    let cell = move |policy, (percentile, name), quantities: &[&str]| {
        let take = move || {
            let all = Shuffles::of(scenario)?;
            let mut ratios = vec![all.to_even(policy)];
            if policy == Policy::RoundRobin {
                ratios.extend([all.to_stealing(), all.p99_to_stealing()]);
            }
            let at = |ratios| shuffles::percentile(ratios, percentile);
            Ok(ratios.into_iter().map(at).collect())
        };
        let cell = simulated(policy, quantities, take);
        scenario.stated(cell).parameter("shuffle", name)
    };
    let dealt = [LUCKY, MEDIAN, UNLUCKY].map(|which| {
        let quantities = [TO_EVEN, TO_STEALING, P99_TO_STEALING];
        cell(Policy::RoundRobin, which, &quantities)
    });
    let others = [Policy::SharedIndex, Policy::Stealing];
    dealt
        .into_iter()
        .chain(others.map(|policy| cell(policy, MEDIAN, &[TO_EVEN])))
}

/// In how many shuffles it comes out as published.
fn shares(scenario: Scenario) -> Cell {
    let take = move || {
        let all = Shuffles::of(scenario)?;
        Ok(vec![all.as_published(), all.as_published_with_p99()])
    };
    let quantities = [PUBLISHED, PUBLISHED_P99];
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
