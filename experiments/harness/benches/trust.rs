//! `cargo bench -p harness --bench trust`: how far can this harness be trusted on this machine?
//!
//! Three figures, each beside its bound, after some twelve minutes on a machine that is otherwise
//! idle (`-- --runs 1` takes a fifth of that, and says a fifth as much):
//!
//! - of pairs of identical programs, how many are called different by mistake;
//! - of pairs of which one does 5 % more, how many are found;
//! - what measuring adds to an operation.
//!
//! Started otherwise, as by `cargo test --benches`, it only checks that it works.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};
use harness::{Body, Cell, Chapter, Experiment, Kernel, Plan};
use measurement::statistics::{median, ratio_interval, Interval};
use measurement::{Profile, Row, Run, Source};

/// Runs, unless told otherwise, and pairs in each: 200 identical ones and 100 with a difference.
const RUNS: usize = 5;
const PAIRS_OF_KERNEL: usize = 10;
const PLANTED_PAIRS: usize = 20;

/// How many steps one of a planted pair does, and the other.
const STEPS: u64 = 1_000;
const MORE_STEPS: u64 = STEPS + STEPS / 20;

/// What is wanted.
const MOST_FALSE: f64 = 0.02;
const LEAST_FOUND: f64 = 0.95;
const MOST_ADDED_NS: f64 = 1.0;

const PLANTED: &str = "planted";

/// An operation that does nothing: one is timed in visits, the other by hand.
const EMPTY: &str = "empty";

/// The contenders of every pair.
const ONE: &str = "one";
const OTHER: &str = "the other";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--child") {
        return harness::main(chapter());
    }
    let outcome = if has("--bench") {
        runs(&arguments).and_then(measure)
    } else {
        try_out().map(|()| true)
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("a bound is missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// What `--runs` says.
fn runs(arguments: &[String]) -> Result<usize> {
    let mut rest =
        arguments.iter().skip_while(|argument| *argument != "--runs");
    if rest.next().is_none() {
        return Ok(RUNS);
    }
    let number = rest.next().and_then(|text| text.parse().ok());
    number.filter(|runs| *runs > 0).context("--runs takes a number above 0")
}

/// All pairs of a run.
fn chapter() -> Chapter {
    let mut experiments: Vec<Experiment> = Kernel::ALL
        .map(|kernel| {
            let twin = |name| Cell::new(name, kernel.answer(), kernel.body());
            pairs(identical(kernel), PAIRS_OF_KERNEL, || {
                [twin(ONE), twin(OTHER)]
            })
        })
        .into();
    experiments.push(pairs(PLANTED.to_owned(), PLANTED_PAIRS, || {
        [steps(ONE, STEPS), steps(OTHER, MORE_STEPS)]
    }));
    experiments.push(pairs(EMPTY.to_owned(), 1, || {
        let by_hand = || Ok(vec![by_hand()]);
        let quantities = ["time per operation"];
        [
            Cell::new(ONE, 0, Body::here(|| || 0)),
            Cell::readings(OTHER, Source::Harness, &quantities, by_hand),
        ]
    }));
    Chapter::new("harness", env!("CARGO_MANIFEST_DIR"), experiments)
}

/// The experiment of identical programs of a class.
fn identical(kernel: Kernel) -> String {
    format!("identical-{}", kernel.name())
}

fn pairs(
    name: String,
    count: usize,
    pair: impl Fn() -> [Cell; 2],
) -> Experiment {
    let numbered =
        |number| pair().map(|cell| cell.parameter("pair", number as i64));
    Experiment::new(&name, "time per operation", ONE)
        .cells((0..count).flat_map(numbered))
}

/// Arithmetic like that of the class `single-thread`.
fn steps(name: &str, steps: u64) -> Cell {
    Cell::new(name, chain(steps), Body::here(move || move || chain(steps)))
}

fn chain(steps: u64) -> u64 {
    (0..black_box(steps)).fold(1, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^ (x << 17)
    })
}

/// Whether everything runs; its figures mean nothing.
fn try_out() -> Result<()> {
    let brief = Duration::from_millis(1);
    let quick = Plan::new(Profile::Quick);
    let plan = Plan {
        processes: 2,
        rounds: 1,
        warm_up: brief,
        sample: brief,
        ..quick
    };
    let run = harness::run(&chapter(), &plan, Some("pair=0"), "local")?;
    for kernel in Kernel::ALL {
        ratios(&run, &identical(kernel))?;
    }
    ratios(&run, PLANTED)?;
    added(&run)?;
    println!("it works");
    Ok(())
}

/// Whether every bound is kept.
fn measure(runs: usize) -> Result<bool> {
    let plan = Plan::new(Profile::Quick);
    let mut added_ns = Vec::new();
    let (mut pairs, mut bare, mut widened) = (0, 0, 0);
    let (mut planted, mut found) = (0, 0);
    for number in 1..=runs {
        println!("run {number} of {runs}");
        let run = harness::run(&chapter(), &plan, Some(""), "local")?;
        for kernel in Kernel::ALL {
            let floor = floor(&run, kernel)?;
            let ratios = ratios(&run, &identical(kernel))?;
            let wrong = ratios.iter().filter(|ratio| differs(**ratio)).count();
            let still = ratios
                .iter()
                .filter(|ratio| differs(ratio.widened(floor)))
                .count();
            println!(
                "  {}: {still} of {} called different, {wrong} without the floor of {}",
                kernel.name(),
                ratios.len(),
                percent(floor)
            );
            pairs += ratios.len();
            bare += wrong;
            widened += still;
        }
        let floor = floor(&run, Kernel::SingleThread)?;
        let ratios = ratios(&run, PLANTED)?;
        let seen = ratios
            .iter()
            .filter(|ratio| ratio.widened(floor).low > 1.0)
            .count();
        println!("  planted: {seen} of {} found", ratios.len());
        added_ns.push(added(&run)?);
        planted += ratios.len();
        found += seen;
        if run.header.is_disturbed() {
            println!("  others used the machine meanwhile: these figures are disturbed");
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let added = median(&added_ns);
    let wrong = share(widened, pairs);
    let found = share(found, planted);
    let figures = [
        (
            format!(
                "identical programs called different: {} of {pairs} pairs, \
                 {} without the noise floor; {} at most are wanted",
                percent(wrong),
                percent(share(bare, pairs)),
                percent(MOST_FALSE)
            ),
            wrong <= MOST_FALSE,
        ),
        (
            format!(
                "differences of 5 % found: {} of {planted} pairs; \
                 {} at least are wanted",
                percent(found),
                percent(LEAST_FOUND)
            ),
            found >= LEAST_FOUND,
        ),
        (
            format!(
                "added to an operation: {added:.2} ns; \
                 under {MOST_ADDED_NS} ns is wanted"
            ),
            added < MOST_ADDED_NS,
        ),
    ];
    for (figure, kept) in &figures {
        println!("{figure}: {}", if *kept { "kept" } else { "MISSED" });
    }
    Ok(figures.iter().all(|(_, kept)| *kept))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Whether an interval of a ratio leaves out 1.
fn differs(ratio: Interval) -> bool {
    ratio.low > 1.0 || ratio.high < 1.0
}

fn floor(run: &Run, kernel: Kernel) -> Result<f64> {
    let floor = run.header.noise_floor(Some(kernel.name()));
    floor.with_context(|| {
        format!("there is no noise floor of {}", kernel.name())
    })
}

/// How many times as long the other takes as the one, pair by pair.
fn ratios(run: &Run, experiment: &str) -> Result<Vec<Interval>> {
    let rows: Vec<&Row> =
        run.rows.iter().filter(|row| row.experiment == experiment).collect();
    let ratio = |pair: &[&Row]| {
        let [one, other] = pair else {
            bail!("{experiment}: a cell without a twin")
        };
        let ratios =
            run.paired_ratios(other, one).map_err(anyhow::Error::msg)?;
        Ok(ratio_interval(&ratios, run.header.processes))
    };
    anyhow::ensure!(!rows.is_empty(), "{experiment}: no rows");
    rows.chunks(2).map(ratio).collect()
}

/// What the harness adds to an operation, in nanoseconds.
fn added(run: &Run) -> Result<f64> {
    let time = |contender| {
        let is_it =
            |row: &&Row| row.experiment == EMPTY && row.contender == contender;
        let row = run.rows.iter().find(is_it).context("a row is missing")?;
        let measured = row.figures().map_err(anyhow::Error::msg)?;
        Ok::<_, anyhow::Error>(median(&measured.points))
    };
    Ok(time(ONE)? - time(OTHER)?)
}

/// The time of an empty operation in a loop around the clock, in nanoseconds.
fn by_hand() -> f64 {
    let operations = 1_u32 << 22;
    let start = Instant::now();
    for _ in 0..operations {
        black_box(0_u64);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(operations)
}
