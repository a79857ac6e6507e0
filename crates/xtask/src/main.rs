//! `cargo xtask`: commands for people who change the book.

/// Prints a line. Ignores the error if the reader has exited, as `head` does.
macro_rules! say {
    ($($what:tt)*) => {
        drop(std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($what)*))))
    };
}

mod check;
mod fmt;
mod programs;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

/// Commands for people who change the book.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Check what CI checks, and print how long each step took
    Check {
        /// Run only these steps, in this order; without any, all but browser, which test includes
        #[arg(value_enum)]
        steps: Vec<check::Step>,
    },
    /// Format Rust, and wrap prose
    Fmt,
}

fn main() -> ExitCode {
    match execute(&Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs a command on the workspace that contains the current directory. This may be a different
/// checkout from the one in which this program was compiled.
fn execute(command: &Command) -> Result<()> {
    let here = std::env::current_dir().context("the current directory is not known")?;
    // These files exist together only at the root of the book's workspace.
    let is_root =
        |it: &&Path| ["Cargo.toml", "book.toml"].iter().all(|file| it.join(file).is_file());
    let root = here.ancestors().find(is_root).with_context(|| {
        let here = here.display();
        format!(
            "no directory with Cargo.toml and book.toml is {here} or above it: go to a checkout"
        )
    })?;
    match command {
        Command::Check { steps } => check::execute(root, steps),
        Command::Fmt => fmt::write(root),
    }
}
