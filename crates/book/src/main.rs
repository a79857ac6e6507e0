//! The command line of `cargo book`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use book::{build, claims, doctor, measure, record, runs};
use clap::{Args, Parser, Subcommand};

/// Builds the book from the data that are here, and prints where it is.
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
    /// Measure on this machine and rebuild, so that pages show yours beside ours
    Measure(measure::MeasureOptions),
    /// Print every claim and how it stands on each machine
    Claims(Claims),
    /// Print what each run of a machine makes of the others' intervals and verdicts
    Runs(runs::RunsOptions),
    /// Tell whether this machine is quiet enough to measure on, and what it can measure
    Doctor,
}

#[derive(Args)]
struct Claims {
    /// Bring data/claims.jsonl up to date: since when each claim has stood as it stands
    #[arg(long)]
    record: bool,
}

fn main() -> ExitCode {
    match execute(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(arguments: Arguments) -> Result<()> {
    // What mdBook has to say, such as a file that it cannot read, goes to standard error.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();
    let here = std::env::current_dir().context("the current directory is not known")?;
    let root = root_above(&here)?;
    match arguments.command {
        None => build::execute(&root, &arguments.build),
        Some(Command::Measure(options)) => measure::execute(&root, options),
        Some(Command::Claims(Claims { record: true })) => record::execute(&root),
        Some(Command::Claims(Claims { record: false })) => claims::execute(&root),
        Some(Command::Runs(options)) => runs::execute(&root, &options),
        Some(Command::Doctor) => {
            doctor::execute();
            Ok(())
        }
    }
}

/// The book's root, which is where its book.toml is, at or above a directory.
fn root_above(directory: &Path) -> Result<PathBuf> {
    let found = directory.ancestors().find(|directory| directory.join("book.toml").is_file());
    let found = found.with_context(|| format!("no book.toml in or above {}", directory.display()));
    found.map(Path::to_path_buf)
}
