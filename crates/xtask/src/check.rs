//! `cargo xtask check`: what CI checks, and how long each step takes.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{ensure, Context, Error, Result};
use clap::ValueEnum;
use measurement::cargo_lock::CargoLock;

use crate::fmt;
use crate::programs::{cargo, command, run};

/// One thing to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Rust is formatted, and prose wrapped
    Fmt,
    /// The book is built, then built again for the time that rendering takes
    Book,
    /// The README's test command: answers, snippets, claims, the rendered book
    Test,
    /// Clippy has nothing to say
    Clippy,
    /// Every page in Chromium, which has to be there
    Browser,
    /// mdbook gives the same bytes as `cargo book`
    Mdbook,
}

/// The default steps, the quickest to fail first.
const ALL: [Step; 5] = [Step::Fmt, Step::Book, Step::Test, Step::Clippy, Step::Mdbook];

/// Runs the steps one after the other in the workspace at `root`, and stops at the first step
/// that fails.
pub(crate) fn execute(root: &Path, steps: &[Step]) -> Result<()> {
    let mut took = String::new();
    for step in if steps.is_empty() { &ALL[..] } else { steps } {
        let value = step.to_possible_value();
        let name = value.as_ref().map_or("", |value| value.get_name());
        say!("\n== {name}");
        let start = Instant::now();
        step.take(root).with_context(|| format!("`cargo xtask check {name}` failed"))?;
        took += &format!("\n{name:8} {:7.1} s", start.elapsed().as_secs_f64());
    }
    say!("{took}");
    Ok(())
}

impl Step {
    fn take(self, root: &Path) -> Result<()> {
        match self {
            Step::Fmt => fmt::check(root),
            Step::Book => cargo(root, &["book"]).and_then(|()| cargo(root, &["book"])),
            Step::Test => cargo(root, &["test"]),
            Step::Clippy => {
                cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
                run(&mut clippy_where_tokio_is_unstable(root))
            }
            Step::Browser => {
                run(command(root, "cargo", &["test", "--test", "browser"])
                    .env("REQUIRE_BROWSER", "1"))
            }
            Step::Mdbook => same_as_mdbook(root),
        }
    }
}

/// Returns the command that runs Clippy on `unstable-tokio` with the settings of its
/// `build.toml`. Without these settings, most of its code isn't compiled.
fn clippy_where_tokio_is_unstable(root: &Path) -> Command {
    let mut clippy = command(root, "cargo", &["clippy", "--quiet", "--package", "unstable-tokio"]);
    clippy.args(["--config", "crates/unstable-tokio/build.toml"]);
    // Removes the variables that would override the settings in `build.toml`.
    clippy.env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_TARGET_DIR");
    clippy.env_remove("RUSTFLAGS");
    clippy.args(["--all-targets", "--", "-D", "warnings"]);
    clippy
}

/// Checks that `cargo book` and the mdbook version in Cargo.lock produce the same book.
fn same_as_mdbook(root: &Path) -> Result<()> {
    let lock = CargoLock::read(root).map_err(Error::msg)?;
    let version = lock.version("book", "mdbook-driver").map_err(Error::msg)?;
    let install = format!("cargo install --locked --version {version} mdbook");
    let found = command(root, "mdbook", &["--version"]).output();
    let found = found.with_context(|| format!("mdbook cannot be started: {install}"))?;
    let found = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    ensure!(found == format!("mdbook v{version}"), "this is {found}: {install}");
    cargo(root, &["book"])?;
    let ours = "target/book-by-cargo";
    // An error means that there is nothing to remove.
    let _ = fs::remove_dir_all(root.join(ours));
    let moved = fs::rename(root.join("book"), root.join(ours));
    moved.with_context(|| format!("book cannot be moved to {ours}"))?;
    run(&mut command(root, "mdbook", &["build"]))?;
    let compare = ["diff", "--no-index", "--stat", ours, "book"];
    // Ignores mdBook's search index. It is made by elasticlunr-rs, and Cargo.lock may have a
    // different version of that crate.
    run(&mut command(root, "git", &compare)).context("mdbook gives other bytes")
}
