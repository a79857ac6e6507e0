//! `cargo book runs`: whether each run of a machine confirms the others.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::claim::trials::{HEADS, Side, Trial, TriedRow, in_all, trials};
use mdbook_measured::data::MachineData;
use mdbook_measured::data::runs_file::RunsFile;
use mdbook_measured::{DataScope, driver};

use crate::{again, terminal};

/// The command's options.
#[derive(clap::Args)]
pub struct RunsOptions {
    /// Print the rows that lie outside, and the verdicts that a run does not confirm
    #[arg(long)]
    pub outside: bool,
}

/// What the columns mean, and what to do where a figure misses what is wanted.
const LEGEND: &str = "
Each run of an experiment in turn is left out, and held against what the others say.
  boots       boots of the machine on which the runs were made: where it is 1, how much another boot
              differs is in no interval; measure again after one, or on another host with this processor
  rows        figures that a run and the others both have, run by run
  inside      of them those that lie in the interval that the others give for the next run; 93 to 97 % are
              wanted. If fewer do, the intervals promise too much: `--outside` names the others, find out
              what they share
  half-width  of those intervals, of the median row
  verdicts    claims that the others decide, run by run
  other side  verdicts of which the run's own estimate lies on the other side of the bound, by less than
              what decided them
  against     by more: the run contradicts the verdict; 2 % at most are wanted
  (stale)     what was measured has changed since; what these runs say of intervals stays";

/// Prints, of each experiment that has several runs on a machine, whether each confirms the others, and what to
/// do about those that have one.
///
/// # Errors
///
/// What is wrong with the book.
pub fn execute(root: &Path, options: &RunsOptions) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let trials = trials(&analysis.data, &analysis.claims);
    if options.outside {
        trials.iter().for_each(print_outside);
    }
    let none = trials.is_empty();
    if !none {
        let mut table = terminal::table(HEADS);
        for trial in &trials {
            table.add_row(trial.cells());
        }
        table.add_row(in_all(trials).cells());
        terminal::print(&table);
        println!("{LEGEND}");
    }
    let alone: Vec<String> = analysis.data.machines.iter().filter_map(alone).collect();
    if !alone.is_empty() {
        println!(
            "\nOne run has nothing to be held against. Measure again on the same machine, half an hour \
             later or more:\n{}",
            alone.join("\n")
        );
    } else if none {
        println!("There are no runs yet: `cargo book measure` makes the first.");
    }
    Ok(())
}

/// Of how many experiments a machine has one run, and how to get another.
fn alone(machine: &MachineData) -> Option<String> {
    let is_alone = |source: &RunsFile| source.shown.len() == 1;
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

/// Prints the rows and verdicts of a trial that a run did not confirm.
fn print_outside(trial: &Trial) {
    for TriedRow { name, run, tried } in trial.rows.iter().filter(|row| !row.tried.is_inside()) {
        let how_far = if tried.off.is_finite() {
            format!("{:.2} times the half-width of {:.1} %", tried.off, tried.half_width * 100.0)
        } else {
            "the others did not differ at all".to_owned()
        };
        println!("{}: {run}: outside: {name} ({how_far})", trial.machine);
    }
    for tried in trial.verdicts.iter().filter(|tried| tried.side != Side::Same) {
        let side = if tried.side == Side::Against { "against" } else { "other side" };
        let verdict = tried.verdict.word();
        println!(
            "{}: {}: {side}: {}, which {verdict} by the others",
            trial.machine, tried.run, tried.id
        );
    }
}
