//! Runs a small program on a Tokio runtime with an unstable option, or without one.
//! `unstable-tokio mutex disable_lifo_slot` runs the program `mutex` with that option, and
//! `unstable-tokio mutex none` without. The two are the same build, so nothing else differs.
//!
//! Tokio has these options, and counts polls and steals, only if the whole program is compiled
//! with `--cfg tokio_unstable`. So this is a separate program, which chapters `primitives`,
//! `blocking-tasks` and `cache-locality` build with the settings in `build.toml`. If it was built
//! without these settings, the program says so and exits. Otherwise, it exits when its standard
//! input is closed.

use std::process::ExitCode;

#[cfg(tokio_unstable)]
mod echo;
#[cfg(tokio_unstable)]
mod operations;
#[cfg(tokio_unstable)]
mod program;
#[cfg(tokio_unstable)]
mod spawning;
#[cfg(tokio_unstable)]
mod stuck_worker;
#[cfg(tokio_unstable)]
mod uncounted_echo;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("unstable-tokio: {reason}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(tokio_unstable)]
fn run(arguments: &[String]) -> Result<(), String> {
    program::run(arguments)
}

#[cfg(not(tokio_unstable))]
fn run(_: &[String]) -> Result<(), String> {
    Err("Tokio has no unstable options in this build: cargo build --release --package unstable-tokio \
         --config crates/unstable-tokio/build.toml"
        .to_owned())
}
