//! The build of a package in which Tokio has what it calls unstable.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Of what is measured in a program that [`program`] builds: how long a visit may take, since the first one builds it.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// What the compiler is told.
const FLAG: &str = "--cfg tokio_unstable";

/// The program of a package of this workspace, built if it is not there or its sources are newer. Only such builds share
/// its target directory, so the flag makes cargo build nothing else anew.
///
/// # Errors
///
/// If it cannot be built, with the compiler's last words.
pub fn program(package: &str) -> Result<PathBuf, String> {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = harness.ancestors().nth(2).expect("it is in experiments/");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build
        .current_dir(root)
        .args(["build", "--quiet", "--locked", "--package", package])
        .args(["--target-dir", "target/tokio_unstable"])
        .args(["--message-format", "json-render-diagnostics"])
        // It goes before the variable that follows.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", FLAG)
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
            Err(format!("{package} cannot be built: {last}"))
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
