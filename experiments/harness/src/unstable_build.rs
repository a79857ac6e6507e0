//! `unstable-tokio`, a program in which Tokio has what it calls unstable: built apart, and talked to.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chapter::moved;
use crate::helper::Helper;

/// How long a visit may take that starts this program, since the first one
/// builds it.
pub const PATIENCE: Duration = Duration::from_secs(300);

static BUILT: LazyLock<Result<PathBuf, String>> = LazyLock::new(build);

/// The program, which is built if it is not there or its sources are newer.
///
/// # Errors
///
/// If it cannot be built, with the compiler's last words.
pub fn program() -> Result<PathBuf, String> {
    BUILT.clone()
}

/// Starts the program: `mutex` on a Tokio with the option `disable_lifo_slot`, or `none`. Each line of JSON
/// that it is asked is the same to it.
///
/// # Errors
///
/// If it cannot be built or started.
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
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build
        .current_dir(root)
        .args(["build", "--quiet", "--locked", "--package", "unstable-tokio"])
        .args(["--config", "crates/unstable-tokio/build.toml"])
        .args(["--message-format", "json-render-diagnostics"])
        // They go before what is in that file.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null());
    if !cfg!(debug_assertions) {
        // A build for tests only checks that it runs.
        build.arg("--release");
    }
    let output = build
        .output()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let executable = said.lines().find_map(executable);
    match executable {
        Some(program) if output.status.success() => Ok(program),
        _ => {
            let words = String::from_utf8_lossy(&output.stderr);
            let last = words.lines().rev().find(|line| !line.is_empty());
            let last = last.unwrap_or("it does not say why");
            Err(format!("unstable-tokio cannot be built: {last}"))
        }
    }
}

/// The program of which a line of cargo's says that it was built.
fn executable(line: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    message.get("executable")?.as_str().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_one_that_cargo_names() {
        let library = r#"{"reason":"compiler-artifact","executable":null}"#;
        let program = r#"{"reason":"compiler-artifact","executable":"/t/p"}"#;
        assert_eq!(executable(library), None);
        assert_eq!(executable(program), Some(PathBuf::from("/t/p")));
        assert_eq!(executable("Compiling"), None);
    }
}
