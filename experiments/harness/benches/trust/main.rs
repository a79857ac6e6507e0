//! `cargo bench -p harness --bench trust`: how far can this harness be trusted on this machine?
//!
//! Five figures, each beside its bound, after some fourteen minutes on a machine that is otherwise
//! idle:
//!
//! 1. of twins, which are one cell visited twice, how many are called different by mistake;
//! 2. the same of second copies: one function under two names, which the linker puts elsewhere;
//! 3. of pairs of which one does 5 % more, how many are found;
//! 4. what measuring adds to an operation;
//! 5. of the last run's estimates, how many lie where the earlier runs expected them.
//!
//! Then a table of pairs that are drawn and not measured: how often the book's two tests call equal ones
//! different, and find a difference.
//!
//! It ends with 1 if a bound is missed. Started otherwise, as by `cargo test --benches`, it only
//! checks that it works.
//!
//! `-- --simulated` prints the table alone, in a minute.

mod programs;
mod runs;
mod simulated;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use harness::{Plan, StudyProgram};
use measurement::Profile;

use programs::{chapter, identical, PLANTED, SECOND_COPIES};
use runs::{pairs, twins, Runs, Tally};
use simulated::print_table;

/// Runs, and links of the program in each: 20 in all.
const RUNS: usize = 4;
const LINKS: usize = 5;

/// How many of equal pairs intervals of 95 % call different.
const FALSE: f64 = 0.05;

/// What is wanted.
const LEAST_FOUND: f64 = 0.95;
const MOST_ADDED_NS: f64 = 1.0;
const LEAST_CONFIRMED: f64 = 0.9;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // The harness starts this program, and its other links, with these.
    if has("--child") || has("--cells") {
        return harness::main(chapter());
    }
    let outcome = if has("--simulated") {
        print_table(simulated::MACHINES).map(|()| true)
    } else if has("--bench") {
        measure()
    } else {
        try_out().map(|()| true)
    };
    match outcome {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => println!("a bound is missed"),
        Err(error) => eprintln!("error: {error:#}"),
    }
    ExitCode::FAILURE
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
    println!(
        "It works if this ends; of a run so brief, the figures mean nothing."
    );
    are_kept(&runs)?;
    print_table(1)
}

/// Whether every bound is kept.
fn measure() -> Result<bool> {
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
    for run in 1..=RUNS {
        println!("run {run} of {RUNS}");
        runs.add(harness::run(&chapter(), &plan, "", "local")?);
        if runs.is_disturbed() {
            println!("  others used the machine meanwhile: these figures are disturbed");
        }
    }
    let is_kept = are_kept(&runs)?;
    println!();
    print_table(simulated::MACHINES)?;
    Ok(is_kept)
}

/// Whether every bound is kept: each figure is printed beside its own.
fn are_kept(runs: &Runs) -> Result<bool> {
    let identical = StudyProgram::ALL.map(identical);
    let mut of_twins = Tally::default();
    runs.judge(&mut of_twins, |_| true, twins)?;
    runs.judge(
        &mut of_twins,
        |of| identical.iter().any(|name| name == of),
        pairs,
    )?;
    let [mut copies, mut planted] = [Tally::default(), Tally::default()];
    runs.judge(&mut copies, |of| of == SECOND_COPIES, pairs)?;
    runs.judge(&mut planted, |of| of == PLANTED, pairs)?;
    let of_copies = match runs.links() {
        0 => told(
            "second copies: this program cannot be linked with its sections shuffled here (only on x86-64 Linux)",
            None,
        ),
        links => called_different(&format!("second copies, in {links} links,"), &copies),
    };
    let Tally { pairs, longer, .. } = planted;
    let found = format!(
        "differences of 5 % found: {longer} of {pairs} pairs by all runs' mean; {} at least are wanted",
        percent(LEAST_FOUND)
    );
    let are_found = longer as f64 / pairs as f64 >= LEAST_FOUND;
    let added = runs.added_ns()?;
    let adds = format!("added to an operation: {added:.2} ns; under {MOST_ADDED_NS} ns is wanted");
    let confirmed = runs.confirmed();
    let (inside, rows) =
        (confirmed.iter().filter(|is| **is).count(), confirmed.len());
    let share = inside as f64 / rows as f64;
    let next_run = match rows {
        0 => "what the next run confirms takes three runs at least".to_owned(),
        _ => format!(
            "the last run's estimates inside the intervals of the earlier runs: {} of {rows} rows; {} at least are \
             wanted",
            percent(share),
            percent(LEAST_CONFIRMED)
        ),
    };
    let are_kept = [
        called_different("twins", &of_twins),
        of_copies,
        told(&found, (pairs > 0).then_some(are_found)),
        told(&adds, Some(added < MOST_ADDED_NS)),
        told(&next_run, (rows > 0).then_some(share >= LEAST_CONFIRMED)),
    ];
    Ok(!are_kept.contains(&false))
}

/// Prints a figure beside its bound. Whether that is kept, or this machine, or so few runs, cannot tell (`None`).
fn told(text: &str, is_kept: Option<bool>) -> bool {
    let verdict = match is_kept {
        Some(true) => "kept",
        Some(false) => "MISSED",
        None => "not tried",
    };
    println!("{text}: {verdict}");
    is_kept != Some(false)
}

/// Whether no more of equal pairs are called different than intervals of 95 %
/// let expect, and none by order.
fn called_different(what: &str, tally: &Tally) -> bool {
    let Tally { pairs, different, by_order, .. } = *tally;
    let most = most_by_chance(pairs, FALSE);
    let text = format!(
        "{what} called different: {different} of {pairs} pairs by all runs' mean and {by_order} by their order; \
         {most} and 0 at most are wanted"
    );
    let are_few = different <= most && by_order == 0;
    told(&text, (pairs > 0).then_some(are_few))
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

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
