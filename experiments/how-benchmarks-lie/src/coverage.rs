//! Experiment `coverage`: how often does a figure's confidence interval
//! contain the true median? The runs are simulated, so that their true median
//! is known.

use fastrand::Rng;
use harness::{Cell, Experiment};
use measurement::statistics::median_interval;
use measurement::Source;

/// The number of simulated runs over which the share is computed.
const RUNS: usize = 100;

/// The true median of the simulated times, in nanoseconds.
const TRUE_MEDIAN: f64 = 100.0;

/// The spread between the rounds of one process, as a fraction of their time.
const ROUND_SPREAD: f64 = 0.05;

/// The numbers of processes and rounds in three kinds of run. The first has
/// as many measurements as the quick profile, in fewer processes. The others
/// are the quick and the full profile.
const PROFILES: [(usize, usize); 3] = [(3, 4), (6, 2), (8, 10)];

/// The spread between processes, as a multiple of the spread between rounds
/// of one process.
const PROCESS_SPREADS: [f64; 4] = [0.0, 0.5, 1.0, 2.0];

pub(crate) fn experiment() -> Experiment {
    let cells = PROFILES.into_iter().flat_map(|(processes, rounds)| {
        PROCESS_SPREADS.into_iter().map(move |spread| {
            let plan = format!("{processes} processes of {rounds} rounds");
            let take = move || Ok(vec![coverage(processes, rounds, spread)]);
            let source = Source::Simulation;
            let cell = Cell::readings("bootstrap", source, &["share"], take)
                .parameter("plan", plan.as_str())
                .parameter("process_spread", spread);
            let in_quick = [0.0, 1.0].contains(&spread);
            if in_quick {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("coverage", "share", "bootstrap").cells(cells)
}

/// Returns the share of simulated runs whose confidence interval contains the
/// true median.
fn coverage(processes: usize, rounds: usize, process_spread: f64) -> f64 {
    let mut rng = Rng::new();
    let holds = |_: &usize| {
        let points = run(&mut rng, processes, rounds, process_spread);
        let interval = median_interval(&points, processes);
        interval.low <= TRUE_MEDIAN && TRUE_MEDIAN <= interval.high
    };
    (0..RUNS).filter(holds).count() as f64 / RUNS as f64
}

/// Returns the times of a simulated run. Each process has its own level, and
/// its rounds scatter around that level.
fn run(
    rng: &mut Rng,
    processes: usize,
    rounds: usize,
    process_spread: f64,
) -> Vec<f64> {
    let mut points = Vec::with_capacity(processes * rounds);
    for _ in 0..processes {
        let level = process_spread * ROUND_SPREAD * normal(rng);
        for _ in 0..rounds {
            let log = level + ROUND_SPREAD * normal(rng);
            points.push(TRUE_MEDIAN * log.exp());
        }
    }
    points
}

/// Returns a random number with an approximately standard normal
/// distribution: the sum of twelve uniform random numbers, minus six.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}
