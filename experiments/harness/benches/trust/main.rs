//! `cargo bench -p harness --bench trust`: how far can this harness be trusted on this machine?
//!
//! Seven figures, each beside its bound, after some twelve minutes on a machine that is otherwise
//! idle (`-- --runs 1` takes a quarter of that, and says a quarter as much):
//!
//! 1. of copies of one function in twenty links of this program, how many are called different by
//!    mistake;
//! 2. the same of pairs of identical cells;
//! 3. of pairs of which one does 5 % more, how many are found;
//! 4. what measuring adds to an operation;
//! 5. of pairs of which one has stamps of a recording that is off, how many are called different;
//! 6. a delay that is planted into a step of what is recorded: where it is found (as root, on Linux);
//! 7. of the last run's estimates, how many lie where the earlier runs expected them.
//!
//! It ends with 1 if a bound is missed. Started otherwise, as by `cargo test --benches`, it only
//! checks that it works.
//!
//! `-- --recording` takes the sixth alone, in seconds.
//!
//! What is measured stands in `programs.rs` and `recorded.rs`, how a figure comes from the runs in `runs.rs`.

mod programs;
mod recorded;
mod runs;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use harness::{Plan, StudyProgram};
use measurement::Profile;

use programs::{chapter, identical, COPIES, PLANTED, STAMPED};
use recorded::{find_delay, FoundDelay, DELAY};
use runs::{Confirmed, Runs, VerdictTally};

/// Runs, unless told otherwise, and links of the program in each: 20 in all.
const RUNS: usize = 4;
const LINKS: usize = 5;

/// What is wanted. Of copies, none may be called different.
const MOST_FALSE: f64 = 0.02;
const LEAST_FOUND: f64 = 0.95;
const MOST_ADDED_NS: f64 = 1.0;
const LEAST_CONFIRMED: f64 = 0.9;

/// How far from its length a delay may be found, and how much of it elsewhere, in nanoseconds.
const MOST_OFF_NS: f64 = 500.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // The harness starts this program, and its other links, with these.
    if has("--child") || has("--cells") {
        return harness::main(chapter());
    }
    let outcome = if has("--recording") {
        let plan = Plan::new(Profile::Quick);
        delay(&plan).map(|figure| print_figures(&[figure]))
    } else if has("--bench") {
        number_of_runs(&arguments).and_then(measure)
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
fn number_of_runs(arguments: &[String]) -> Result<usize> {
    let mut rest =
        arguments.iter().skip_while(|argument| *argument != "--runs");
    if rest.next().is_none() {
        return Ok(RUNS);
    }
    let number = rest.next().and_then(|text| text.parse().ok());
    number.filter(|runs| *runs > 0).context("--runs takes a number above 0")
}

/// Whether everything runs and every figure can be had; what they are means
/// nothing.
fn try_out() -> Result<()> {
    let brief = Duration::from_millis(1);
    let plan = Plan {
        processes: 2,
        rounds: 2,
        relink: false,
        patience: Duration::ZERO,
        warm_up: brief,
        sample: brief,
        ..Plan::new(Profile::Quick)
    };
    let run = harness::run(&chapter(), &plan, "pair=0", "local")?;
    let mut runs = Runs::default();
    let mut pairs = Pairs::default();
    // As if it were three, which the last figure needs.
    for _ in 0..3 {
        runs.add(run.clone());
        pairs.judge(&runs)?;
    }
    figures(&runs, &pairs)?;
    delay(&plan)?;
    println!("it works");
    Ok(())
}

/// Whether every bound is kept.
fn measure(number: usize) -> Result<bool> {
    // Samples are a little shorter than in other runs, to save time: by that,
    // figures scatter more, if anything.
    let plan = Plan {
        processes: LINKS,
        rounds: 1,
        sample: Duration::from_millis(4),
        ..Plan::new(Profile::Quick)
    };
    let mut runs = Runs::default();
    let mut pairs = Pairs::default();
    for run in 1..=number {
        println!("run {run} of {number}");
        runs.add(harness::run(&chapter(), &plan, "", "local")?);
        print!("{}", pairs.judge(&runs)?);
        if runs.is_disturbed() {
            println!("  others used the machine meanwhile: these figures are disturbed");
        }
    }
    let figures = figures(&runs, &pairs)?;
    Ok(print_figures(&figures) & print_figures(&[delay(&plan)?]))
}

/// Whether every bound is kept.
fn print_figures(figures: &[TrustFigure]) -> bool {
    for TrustFigure { text, bound } in figures {
        let verdict = match bound {
            Bound::Kept => "kept",
            Bound::Missed => "MISSED",
            Bound::NotTried => "not tried",
        };
        println!("{text}: {verdict}");
    }
    figures.iter().all(|figure| figure.bound != Bound::Missed)
}

/// Pairs of cells, each judged by one run alone.
#[derive(Default)]
struct Pairs {
    twins: VerdictTally,
    planted: VerdictTally,
    stamped: VerdictTally,
}

impl Pairs {
    /// Judges the pairs of the last run. Returns in words how that went.
    fn judge(&mut self, runs: &Runs) -> Result<String> {
        let mut words = String::new();
        for kernel in StudyProgram::ALL {
            let twins = runs.judge_last(&identical(kernel))?;
            let VerdictTally { pairs, different, different_bare, .. } = twins;
            let name = kernel.name();
            words += &format!("  {name}: {different} of {pairs} twins called different, {different_bare} without the noise floor\n");
            self.twins += twins;
        }
        let planted = runs.judge_last(PLANTED)?;
        let VerdictTally { pairs, longer, longer_bare, .. } = planted;
        words += &format!("  planted: {longer} of {pairs} found, {longer_bare} without the noise floor\n");
        self.planted += planted;
        let stamped = runs.judge_last(STAMPED)?;
        let VerdictTally { pairs, different, different_bare, .. } = stamped;
        words += &format!("  stamped: {different} of {pairs} called different, {different_bare} without the noise floor\n");
        self.stamped += stamped;
        Ok(words)
    }
}

/// A figure beside its bound, in words.
struct TrustFigure {
    text: String,
    bound: Bound,
}

#[derive(PartialEq)]
enum Bound {
    Kept,
    Missed,
    /// This machine, or so few runs, cannot tell.
    NotTried,
}

fn kept(is_kept: bool) -> Bound {
    if is_kept {
        Bound::Kept
    } else {
        Bound::Missed
    }
}

fn figures(runs: &Runs, pairs: &Pairs) -> Result<[TrustFigure; 6]> {
    let Pairs { twins, planted, stamped } = pairs;
    let found = share(planted.longer, planted.pairs);
    let planted = TrustFigure {
        text: format!(
            "differences of 5 % found: {} of {} pairs, {} without the noise floor; {} at least are wanted",
            percent(found),
            planted.pairs,
            percent(share(planted.longer_bare, planted.pairs)),
            percent(LEAST_FOUND)
        ),
        bound: kept(found >= LEAST_FOUND),
    };
    let added = runs.added_ns()?;
    let added = TrustFigure {
        text: format!(
            "added to an operation: {added:.2} ns; under {MOST_ADDED_NS} ns is wanted"
        ),
        bound: kept(added < MOST_ADDED_NS),
    };
    Ok([
        copies(runs)?,
        called_different("identical cells", twins),
        planted,
        added,
        called_different("cells with and without stamps that are off", stamped),
        next_run(runs),
    ])
}

/// Whether few pairs of equals are called different.
fn called_different(what: &str, tally: &VerdictTally) -> TrustFigure {
    let wrong = share(tally.different, tally.pairs);
    TrustFigure {
        text: format!(
            "{what} called different: {} of {} pairs, {} without the noise floor; {} at most are wanted",
            percent(wrong),
            tally.pairs,
            percent(share(tally.different_bare, tally.pairs)),
            percent(MOST_FALSE)
        ),
        bound: kept(wrong <= MOST_FALSE),
    }
}

/// Whether a delay is found in the step in which it is, and in no other.
fn delay(plan: &Plan) -> Result<TrustFigure> {
    let planted = DELAY.as_nanos() as f64;
    Ok(match find_delay(&chapter(), plan)? {
        Ok(FoundDelay { there, elsewhere }) => TrustFigure {
            text: format!(
                "a delay of {planted:.0} ns in a step of a recording: {there:.0} ns are found there, {elsewhere:.0} ns at most in another; \
                 {MOST_OFF_NS:.0} ns are allowed"
            ),
            bound: kept((there - planted).abs() <= MOST_OFF_NS && elsewhere <= MOST_OFF_NS),
        },
        Err(reason) => TrustFigure {
            text: format!("a delay in a step of a recording: {reason}"),
            bound: Bound::NotTried,
        },
    })
}

/// Whether copies of a function, which lie elsewhere in each link, are told apart.
fn copies(runs: &Runs) -> Result<TrustFigure> {
    let VerdictTally { pairs, different, different_bare, .. } =
        runs.judge_all(COPIES)?;
    let links = runs.links();
    if links.is_empty() {
        let text = "identical code elsewhere in memory: this program cannot be linked with its sections shuffled here (only on x86-64 Linux)";
        return Ok(TrustFigure {
            text: text.to_owned(),
            bound: Bound::NotTried,
        });
    }
    let apart = match runs.copies_apart() {
        Some((copies, twin)) => format!(
            "in one link the slowest copy takes {copies} times as long as the fastest; a copy and its own twin lie {twin} times apart"
        ),
        None => "in no link were all copies visited undisturbed".to_owned(),
    };
    Ok(TrustFigure {
        text: format!(
            "identical code in {} links: {different} of {pairs} pairs of copies called different, {different_bare} without the noise floor; none is wanted\n  ({apart})",
            links.len(),
        ),
        bound: kept(different == 0),
    })
}

/// Whether the last run's estimates lie where the earlier runs expected them.
fn next_run(runs: &Runs) -> TrustFigure {
    let Some(Confirmed { rows, inside, disturbed }) = runs.confirmed() else {
        let text = "what the next run confirms takes three runs at least";
        return TrustFigure { text: text.to_owned(), bound: Bound::NotTried };
    };
    let confirmed = share(inside, rows);
    TrustFigure {
        text: format!(
            "the last run's estimates inside the intervals of the earlier runs: {} of {rows} rows, {disturbed} more were disturbed; {} at least are wanted",
            percent(confirmed),
            percent(LEAST_CONFIRMED)
        ),
        bound: kept(confirmed >= LEAST_CONFIRMED),
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
