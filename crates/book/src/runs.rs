//! `cargo book runs`: whether each run of a machine confirms the others.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::claim::trials::trials;
use mdbook_measured::data::MachineData;
use mdbook_measured::data::runs_file::RunsFile;
use mdbook_measured::{DataScope, driver};

use crate::{again, terminal};

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
/// do about those that have one; if `outside`, what is not confirmed, too.
pub(crate) fn execute(root: &Path, outside: bool) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let trials = trials(&analysis.data, &analysis.claims);
    if outside {
        trials.unconfirmed.iter().for_each(|line| println!("{line}"));
    }
    // The first row is of all together.
    let none = trials.table.rows.len() == 1;
    if !none {
        terminal::print(&trials.table);
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
    let is_alone = |file: &RunsFile| file.runs.len() == 1;
    let alone: Vec<&RunsFile> = machine.sources().filter(|file| is_alone(file)).collect();
    let count = match alone.len() {
        0 => return None,
        1 => "1 experiment".to_owned(),
        count => format!("{count} experiments"),
    };
    let twice = match alone.iter().filter(|file| !file.stale.is_empty()).count() {
        0 => String::new(),
        // What was measured is another thing now.
        stale => {
            format!(" ({stale} stale: their next run is the first of its kind, so it takes two)")
        }
    };
    Some(format!("  {}, {count}{twice}: {}", machine.name(), again::command(machine, is_alone)))
}
