//! `cargo bench -p harness --bench trust`: how far can this harness be trusted on this machine?
//!
//! Seven figures, each beside its bound, after some fourteen minutes on a machine that is otherwise
//! idle (`-- --runs 3` takes three quarters of that, and says less):
//!
//! 1. of twins, which are one cell visited twice, how many are called different by mistake;
//! 2. the same of second copies: one function under two names, which the linker puts elsewhere;
//! 3. of pairs of which one does 5 % more, how many are found;
//! 4. what measuring adds to an operation;
//! 5. of pairs of which one has stamps of a recording that is off, how many are called different;
//! 6. a delay that is planted into a step of what is recorded: where it is found (as root, on Linux);
//! 7. of the last run's estimates, how many lie where the earlier runs expected them.
//!
//! Then a table of pairs that are drawn and not measured: how often the book's two tests call equal ones
//! different, and find a difference.
//!
//! It ends with 1 if a bound is missed. Started otherwise, as by `cargo test --benches`, it only
//! checks that it works.
//!
//! `-- --recording` takes the sixth alone, in seconds; `-- --simulated` prints the table, in a minute.
//!
//! What is measured stands in `programs.rs` and `recorded.rs`, how a figure comes from the runs in `runs.rs`,
//! and what is drawn in `simulated.rs`.

mod programs;
mod recorded;
mod runs;
mod simulated;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use harness::{Plan, StudyProgram};
use measurement::Profile;

use programs::{chapter, identical, PLANTED, SECOND_COPIES, STAMPED};
use recorded::{find_delay, FoundDelay, DELAY};
use runs::{Confirmed, Judged, Runs, Tally};
use simulated::print_table;

/// Runs, unless told otherwise, and links of the program in each: 20 in all.
const RUNS: usize = 4;
const LINKS: usize = 5;

/// How many of equal pairs intervals of 95 % call different.
const FALSE: f64 = 0.05;

/// What is wanted.
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
    } else if has("--simulated") {
        print_table(simulated::MACHINES).map(|()| true)
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
    number.filter(|runs| *runs > 1).context("--runs takes a number above 1")
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
    // As if it were three, which the last figure needs.
    for _ in 0..3 {
        runs.add(run.clone());
    }
    figures(&runs)?;
    delay(&plan)?;
    print_table(1)?;
    println!("it works");
    Ok(())
}

/// Whether every bound is kept.
fn measure(number: usize) -> Result<bool> {
    // Of fewer and shorter samples than a full run, to save time: by that, figures
    // scatter more, if anything. Only full runs have an order.
    let plan = Plan {
        processes: LINKS,
        rounds: 1,
        warm_up: Duration::from_millis(10),
        sample: Duration::from_millis(4),
        ..Plan::new(Profile::Full)
    };
    let mut runs = Runs::default();
    for run in 1..=number {
        println!("run {run} of {number}");
        runs.add(harness::run(&chapter(), &plan, "", "local")?);
        if runs.is_disturbed() {
            println!("  others used the machine meanwhile: these figures are disturbed");
        }
    }
    let is_kept =
        print_figures(&figures(&runs)?) & print_figures(&[delay(&plan)?]);
    println!();
    print_table(simulated::MACHINES)?;
    Ok(is_kept)
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

fn figures(runs: &Runs) -> Result<[TrustFigure; 6]> {
    let mut twins = runs.judge_twins()?;
    for kernel in StudyProgram::ALL {
        twins += runs.judge(&identical(kernel))?;
    }
    let added = runs.added_ns()?;
    let added = TrustFigure {
        text: format!(
            "added to an operation: {added:.2} ns; under {MOST_ADDED_NS} ns is wanted"
        ),
        bound: kept(added < MOST_ADDED_NS),
    };
    let stamped = runs.judge(STAMPED)?;
    Ok([
        called_different("twins", &twins),
        second_copies(runs)?,
        planted(&runs.judge(PLANTED)?),
        added,
        called_different(
            "cells with and without stamps that are off",
            &stamped,
        ),
        next_run(runs),
    ])
}

/// Whether no more of equal pairs are called different than intervals of 95 %
/// let expect, and none by order.
fn called_different(what: &str, judged: &Judged) -> TrustFigure {
    let Judged { together, alone } = judged;
    let most = |tally: &Tally| most_by_chance(tally.pairs, FALSE);
    let is_kept = |tally: &Tally| tally.different <= most(tally);
    TrustFigure {
        text: format!(
            "{what} called different: {} of {} pairs by all runs' mean, {} by their order, and {} of {} by the mean of one run alone; \
             {}, 0 and {} at most are wanted",
            together.different,
            together.pairs,
            together.by_order,
            alone.different,
            alone.pairs,
            most(together),
            most(alone),
        ),
        bound: match together.pairs {
            0 => Bound::NotTried,
            _ => kept(is_kept(together) && is_kept(alone) && together.by_order == 0),
        },
    }
}

/// How many of so many pairs are called different if each is with this
/// probability, at most, but for one case in forty.
fn most_by_chance(pairs: usize, probability: f64) -> usize {
    let mut exactly = (1.0 - probability).powi(pairs as i32);
    let (mut up_to, mut count) = (exactly, 0);
    while up_to < 0.975 && count < pairs {
        let odds = probability / (1.0 - probability);
        exactly *= odds * (pairs - count) as f64 / (count + 1) as f64;
        up_to += exactly;
        count += 1;
    }
    count
}

/// Whether differences of 5 % are found.
fn planted(Judged { together, alone }: &Judged) -> TrustFigure {
    let found = share(together.longer, together.pairs);
    TrustFigure {
        text: format!(
            "differences of 5 % found: {} of {} pairs by all runs' mean, and {} of {} by that of one run alone; {} at least are wanted",
            together.longer,
            together.pairs,
            alone.longer,
            alone.pairs,
            percent(LEAST_FOUND)
        ),
        bound: match together.pairs {
            0 => Bound::NotTried,
            _ => kept(found >= LEAST_FOUND),
        },
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
fn second_copies(runs: &Runs) -> Result<TrustFigure> {
    let links = runs.links();
    let figure = called_different("second copies", &runs.judge(SECOND_COPIES)?);
    let Some((copies, twins)) = runs.copies_apart().filter(|_| links > 0)
    else {
        let text = "second copies: this program cannot be linked with its sections shuffled here (only on x86-64 Linux)";
        return Ok(TrustFigure {
            text: text.to_owned(),
            bound: Bound::NotTried,
        });
    };
    let text = format!(
        "{}\n  (in one of {links} links a second copy takes {copies}, a twin {twins})",
        figure.text
    );
    Ok(TrustFigure { text, ..figure })
}

/// Whether the last run's estimates lie where the earlier runs expected them.
fn next_run(runs: &Runs) -> TrustFigure {
    let Some(Confirmed { rows, inside }) = runs.confirmed() else {
        let text = "what the next run confirms takes three runs at least";
        return TrustFigure { text: text.to_owned(), bound: Bound::NotTried };
    };
    let confirmed = share(inside, rows);
    TrustFigure {
        text: format!(
            "the last run's estimates inside the intervals of the earlier runs: {} of {rows} rows; {} at least are wanted",
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
