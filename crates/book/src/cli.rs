//! Parses the command line of `cargo book`.

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use crate::{build, claims, doctor, measure, record};

/// Builds the book from the data in the tree, and prints where it is.
#[derive(Parser)]
#[command(name = "cargo book", bin_name = "cargo book", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(flatten)]
    build: build::BuildOptions,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Measure on this machine and rebuild the book, which then shows your figures next to ours
    Measure(measure::MeasureOptions),
    /// Print every claim with its verdict on each machine, undecided claims first
    Claims {
        /// Print only the claims of this chapter, for example spawn-cost
        #[arg(conflicts_with = "record")]
        chapter: Option<String>,
        /// Print how often each run agrees with the intervals and verdicts of the other runs
        #[arg(long, conflicts_with_all = ["record", "chapter"])]
        held_out: bool,
        /// Add a line to data/claims.jsonl for each new or changed predicate
        #[arg(long)]
        record: bool,
    },
    /// Tell whether this machine is quiet enough to measure on, and what it can measure
    Doctor,
}

/// Runs the command that the command line names. The book's book.toml is in the current directory
/// or in one above it.
pub fn execute() -> Result<()> {
    let arguments = Arguments::parse();
    // Messages from mdBook, such as one about an unreadable file, go to standard error.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();
    let here = std::env::current_dir().context("the current directory is not known")?;
    let root = here.ancestors().find(|directory| directory.join("book.toml").is_file());
    let root = root.with_context(|| format!("no book.toml in or above {}", here.display()))?;
    match arguments.command {
        None => build::execute(root, &arguments.build),
        Some(Command::Measure(options)) => measure::execute(root, &options),
        Some(Command::Claims { record: true, .. }) => record::execute(root),
        Some(Command::Claims { held_out: true, .. }) => claims::held_out(root),
        Some(Command::Claims { chapter, .. }) => claims::execute(root, chapter.as_deref()),
        Some(Command::Doctor) => {
            doctor::execute();
            Ok(())
        }
    }
}
