//! `cargo book runs`: whether each machine's last run confirmed the earlier ones.

use std::path::Path;

use anyhow::Result;
use mdbook_measured::trials::{Trial, trials};
use mdbook_measured::{DataScope, driver};

use crate::terminal;

/// The command's options.
#[derive(clap::Args)]
pub struct RunsOptions {
    /// Print the rows that lie outside, and the claims whose verdicts changed
    #[arg(long)]
    pub outside: bool,
}

/// Prints, of each experiment that has several runs on a machine, whether the last one confirmed them.
///
/// # Errors
///
/// What is wrong with the book.
pub fn execute(root: &Path, options: &RunsOptions) -> Result<()> {
    let analysis = driver::analyse(root, DataScope::WithLocal)?;
    let trials = trials(&analysis.data, &analysis.claims);
    let mut table = terminal::table([
        "machine",
        "experiment",
        "earlier runs",
        "rows",
        "disturbed",
        "inside",
        "median half-width",
        "claims",
        "decided",
        "changed",
        "contradicted",
    ]);
    let percent = |share: f64| {
        if share.is_nan() { "-".to_owned() } else { format!("{:.0} %", share * 100.0) }
    };
    for trial in &trials {
        table.add_row([
            trial.machine.clone(),
            format!("{}{}", trial.experiment, if trial.is_stale { " (stale)" } else { "" }),
            trial.earlier.to_string(),
            trial.rows.len().to_string(),
            trial.disturbed.to_string(),
            percent(trial.inside()),
            format!("{:.1} %", trial.half_width() * 100.0),
            trial.claims.len().to_string(),
            percent(trial.decided()),
            trial.changed().to_string(),
            trial.contradicted().to_string(),
        ]);
    }
    terminal::print(&table);
    if trials.is_empty() {
        println!(
            "No machine has two runs of an experiment that were measured alike: `cargo book measure` adds one."
        );
    }
    println!(
        "\nWanted: 90 % inside, 5 % of the verdicts changed at most, none contradicted, two thirds decided. An \
         experiment that is not there has no two runs measured alike; stale: what was measured has changed since. \
         Disturbed: rows for which the last run hardly found its core undisturbed, so that it has no figure \
         to try. Inside: the last run's estimate lies in the interval that the earlier ones give. Changed: the \
         verdict on all runs is another than on the earlier ones. Contradicted: holds before, and the \
         last run's own estimate fails, or the other way round."
    );
    if options.outside {
        trials.iter().for_each(print_outside);
    }
    Ok(())
}

/// Prints the rows and claims of a trial that the last run did not confirm.
fn print_outside(trial: &Trial) {
    for (name, row) in trial.rows.iter().filter(|(_, row)| !row.is_inside()) {
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
