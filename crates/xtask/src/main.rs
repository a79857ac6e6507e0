//! The command line of `cargo xtask`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use xtask::{check, fmt, new_chapter, workspace};

/// What those who change the book need.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Check what CI checks, and print what each step cost
    Check {
        /// Only these steps, in this order; all but browser if none is named, since test has it
        #[arg(value_enum)]
        steps: Vec<check::Step>,
    },
    /// Format Rust, and wrap prose
    Fmt,
    /// Make a chapter from the example: a package, a page, and their lines in Cargo.toml and SUMMARY.md
    NewChapter {
        /// Its name, such as spawn-cost
        name: String,
    },
}

fn main() -> ExitCode {
    match execute(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> Result<()> {
    let here = std::env::current_dir().context("the current directory is not known")?;
    let root = workspace::root_above(&here)?;
    match command {
        Command::Check { steps } => check::execute(&root, &steps),
        Command::Fmt => fmt::execute(&root),
        Command::NewChapter { name } => new_chapter::execute(&root, &name),
    }
}
