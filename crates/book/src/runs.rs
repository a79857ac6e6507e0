//! `cargo book runs`: whether each machine's last run confirmed the earlier ones.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::data::MachineData;
use mdbook_measured::runs_file::RunsFile;
use mdbook_measured::trials::{Trial, TriedRow, trials};
use mdbook_measured::{DataScope, driver};

use crate::{again, terminal};

/// The command's options.
#[derive(clap::Args)]
pub struct RunsOptions {
    /// Print the rows that lie outside, and the claims whose verdicts changed
    #[arg(long)]
    pub outside: bool,
}

/// What share of the rows is to lie inside, 0 to 1.
const INSIDE: f64 = 0.9;

/// What share of the claims is to be decided, 0 to 1.
const DECIDED: f64 = 2.0 / 3.0;

/// What share of the verdicts may change, 0 to 1.
const CHANGED: f64 = 0.05;

/// What the columns mean, and what to do where a figure misses what is wanted.
const LEGEND: &str = "
The last run of each experiment is left out, and held against what the earlier ones say.
  rows        figures that the last run and the earlier ones both have
  inside      rows whose last figure lies in the interval that the earlier runs give. If too few do,
              the intervals promise too much: `--outside` names the others, find out what they share
  half-width  of those intervals, of the median row: a smaller difference cannot be told from none.
              More runs make it narrower
  disturbed   rows left out, because others used the core during the last run. If they are many:
              `cargo book doctor`, and measure again when the machine is quiet
  claims      claims that the earlier runs and the last one judge
  decided     claims that hold or fail by all runs together; the others need more runs
  changed     claims whose verdict the last run changed; `--outside` names them
  against     claims that held before and fail by the last run alone, or the other way round
  (stale)     what was measured has changed since; what these runs say of intervals stays
  !           misses what is wanted";

/// Prints, of each experiment that has several runs on a machine, whether the last one confirmed them, and
/// what to do about those that have one.
///
/// # Errors
///
/// What is wrong with the book.
pub fn execute(root: &Path, options: &RunsOptions) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let trials = trials(&analysis.data, &analysis.claims);
    if !trials.is_empty() {
        print_table(&trials);
        println!("{LEGEND}");
    }
    let alone: Vec<String> = analysis.data.machines.iter().filter_map(alone).collect();
    if !alone.is_empty() {
        println!(
            "\nOne run has nothing to be held against. Measure again on the same machine, half an hour \
             later or more:\n{}",
            alone.join("\n")
        );
    } else if trials.is_empty() {
        println!("There are no runs yet: `cargo book measure` makes the first.");
    }
    if options.outside {
        println!();
        trials.iter().for_each(print_outside);
    }
    Ok(())
}

fn print_table(trials: &[Trial]) {
    let mut table = terminal::table([
        "machine",
        "experiment",
        "earlier runs",
        "rows",
        "inside",
        "half-width",
        "disturbed",
        "claims",
        "decided",
        "changed",
        "against",
    ]);
    for trial in trials {
        table.add_row([
            trial.machine.clone(),
            format!("{}{}", trial.experiment, if trial.is_stale { " (stale)" } else { "" }),
            trial.earlier.to_string(),
            trial.rows.len().to_string(),
            marked(percent(trial.inside()), trial.inside() < INSIDE),
            percent(trial.half_width()),
            trial.disturbed.to_string(),
            trial.claims.len().to_string(),
            marked(percent(trial.decided()), trial.decided() < DECIDED),
            marked(percent(trial.share_changed()), trial.share_changed() > CHANGED),
            marked(trial.contradicted().to_string(), trial.contradicted() > 0),
        ]);
    }
    let least = |share: f64| format!("{} or more", percent(share));
    table.add_row([
        "wanted".to_owned(),
        String::new(),
        String::new(),
        String::new(),
        least(INSIDE),
        String::new(),
        String::new(),
        String::new(),
        least(DECIDED),
        format!("{} at most", percent(CHANGED)),
        "none".to_owned(),
    ]);
    terminal::print(&table);
}

/// A share, 0 to 1; of nothing there is none.
fn percent(share: f64) -> String {
    if share.is_nan() { "-".to_owned() } else { format!("{:.0} %", share * 100.0) }
}

fn marked(figure: String, misses: bool) -> String {
    if misses { figure + " !" } else { figure }
}

/// Of how many experiments a machine has one run, and how to get another.
fn alone(machine: &MachineData) -> Option<String> {
    let is_alone = |source: &RunsFile| source.experiment.is_some() && source.shown.len() == 1;
    let alone = || machine.sources().filter(|source| is_alone(source));
    let count = alone().count();
    let stale = alone().filter(|source| !source.stale.is_empty()).count();
    let experiments = if count == 1 { "experiment" } else { "experiments" };
    let twice = match stale {
        0 => String::new(),
        // What was measured is another thing now.
        stale => {
            format!(" ({stale} stale: their next run is the first of its kind, so it takes two)")
        }
    };
    (count > 0).then(|| {
        format!(
            "  {}, {count} {experiments}{twice}: {}",
            machine.name(),
            again::command(machine, is_alone)
        )
    })
}

/// Prints the rows and claims of a trial that the last run did not confirm.
fn print_outside(trial: &Trial) {
    for TriedRow { name, tried: row, .. } in trial.rows.iter().filter(|row| !row.tried.is_inside())
    {
        let how_far = if row.off.is_finite() {
            format!("{:.2} times the half-width of {:.1} %", row.off, row.half_width * 100.0)
        } else {
            "the earlier runs did not differ at all".to_owned()
        };
        println!("{}: outside: {name} ({how_far})", trial.machine);
    }
    for claim in trial.claims.iter().filter(|claim| claim.before != claim.after) {
        let (before, after) = (claim.before.word(), claim.after.word());
        println!("{}: changed: {}: {before}, then {after}", trial.machine, claim.id);
    }
}
