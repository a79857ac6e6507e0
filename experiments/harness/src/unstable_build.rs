//! Builds and runs `unstable-tokio`, a separate program with Tokio's unstable
//! features.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::builds::executable;
use crate::chapter::moved;
use crate::helper::Helper;

/// How long the first measurement with `unstable-tokio` may take, including
/// the time to build it.
pub const PATIENCE: Duration = Duration::from_secs(300);

static BUILT: LazyLock<Result<PathBuf, String>> = LazyLock::new(build);

/// Returns the path of the program. Builds it if it is missing or older than
/// its sources.
///
/// # Errors
///
/// Fails if the program cannot be built, with the end of the compiler's
/// output.
pub fn program() -> Result<PathBuf, String> {
    BUILT.clone()
}

/// Starts the program with two arguments: a subprogram such as `mutex`, and
/// an option of Tokio's, such as `disable_lifo_slot`, or `none`. The program
/// answers every line of input with another report.
///
/// # Errors
///
/// Fails if the program cannot be built or started.
pub fn start<Report: DeserializeOwned + Send + 'static>(
    program_and_option: [&str; 2],
) -> Result<Helper<(), Report>, String> {
    let mut command = Command::new(program()?);
    command.args(program_and_option);
    Helper::spawn(command)
}

fn build() -> Result<PathBuf, String> {
    let harness = moved("harness", env!("CARGO_MANIFEST_DIR").into());
    let root = harness.ancestors().nth(2).expect("it is in experiments/");
    let mut build = host::cargo::cargo();
    build
        .current_dir(root)
        .args(["build", "--quiet", "--locked", "--package", "unstable-tokio"])
        .args(["--config", "crates/unstable-tokio/build.toml"])
        .args(["--message-format", "json-render-diagnostics"])
        // These variables would override the settings in `build.toml`.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null());
    if !cfg!(debug_assertions) {
        // A build for tests isn't optimised: it only checks that the program
        // works.
        build.arg("--release");
    }
    let output = build
        .output()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    match executable(&output.stdout) {
        Some(program) if output.status.success() => Ok(program),
        _ => {
            let words = String::from_utf8_lossy(&output.stderr);
            let last = words.lines().rev().find(|line| !line.is_empty());
            let last = last.unwrap_or("it does not say why");
            Err(format!("unstable-tokio cannot be built: {last}"))
        }
    }
}
