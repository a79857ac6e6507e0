//! Starts cargo from a program that cargo itself has started.

use std::env;
use std::process::Command;

/// Returns the command `cargo`, without the environment variables that describe the package of
/// this program.
///
/// `cargo run` sets these variables for the program that it starts. If that program starts cargo
/// in turn, a build script that depends on one of them, such as that of `ring`, sees a changed
/// variable and runs again. Every package that depends on `ring` would then be compiled again.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(describes_a_package) {
            command.env_remove(name);
        }
    }
    command
}

fn describes_a_package(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_user_are_passed_on() {
        for name in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION_PRE", "CARGO_MANIFEST_DIR"] {
            assert!(describes_a_package(name), "{name}");
        }
        for name in ["CARGO", "CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_ENCODED_RUSTFLAGS"] {
            assert!(!describes_a_package(name), "{name}");
        }
    }
}
