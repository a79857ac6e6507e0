//! Running other programs.

use std::path::Path;
use std::process::Command;

use anyhow::{ensure, Context, Result};

/// Returns the command to run `program` with `arguments` in the directory `root`.
pub(crate) fn command(root: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).args(arguments);
    command
}

pub(crate) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let status = command.status();
    let status = status.with_context(|| format!("{} cannot be started", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}

pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    run(&mut command(root, "cargo", arguments))
}
