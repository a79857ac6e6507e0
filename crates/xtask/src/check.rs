//! `cargo xtask check`: what CI checks, and what each step costs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Error, Result};
use clap::ValueEnum;
use measurement::cargo_lock::CargoLock;

use crate::costs::Cost;
use crate::programs::{cargo, command, run};
use crate::{files, fmt};

/// One thing to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Step {
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

/// What is checked if nothing is named, in the order of what fails fastest.
const ALL: [Step; 5] = [Step::Fmt, Step::Book, Step::Test, Step::Clippy, Step::Mdbook];

/// Takes the steps one after the other in the workspace at `root`, and prints what each cost.
///
/// # Errors
///
/// At the first step that fails.
pub fn execute(root: &Path, steps: &[Step]) -> Result<()> {
    let steps = if steps.is_empty() { &ALL[..] } else { steps };
    let mut costs = Vec::new();
    for &step in steps {
        println!("\n== {}", name(step));
        let (cost, done) = Cost::of(|| step.take(root));
        done.with_context(|| format!("`cargo xtask check {}` failed", name(step)))?;
        costs.push((step, cost));
    }
    println!("\n{:8} {:>9}", "step", "wall");
    for (step, cost) in costs {
        println!("{:8} {cost}", name(step));
    }
    Ok(())
}

/// As it is named on the command line.
fn name(step: Step) -> String {
    step.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

impl Step {
    fn take(self, root: &Path) -> Result<()> {
        match self {
            Step::Fmt => fmt::check(root),
            Step::Book => cargo(root, &["book"]).and_then(|()| cargo(root, &["book"])),
            Step::Test => cargo(root, &["test"]),
            Step::Clippy => {
                cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
                run(&mut clippy_where_tokio_counts(root))
            }
            Step::Browser => {
                run(command(root, "cargo", &["test", "--test", "browser"])
                    .env("REQUIRE_BROWSER", "1"))
            }
            Step::Mdbook => same_as_mdbook(root),
        }
    }
}

/// With what the compiler is told that Tokio is to count, which most of a package is compiled with alone.
const TOKIO_COUNTS: &str = "--cfg tokio_unstable";

/// Clippy of that package, beside the build of it that chapter cache-locality makes, which has compiled the
/// dependencies' build scripts and macros.
fn clippy_where_tokio_counts(root: &Path) -> Command {
    let arguments = [
        "clippy",
        "--quiet",
        "--package",
        "metered-tokio",
        "--all-targets",
        "--target-dir",
        "target/tokio_unstable",
        "--",
        "-D",
        "warnings",
    ];
    let mut clippy = command(root, "cargo", &arguments);
    // It goes before the variable that follows.
    clippy.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", TOKIO_COUNTS);
    clippy
}

/// Builds the book by `cargo book` and by mdbook, in the version that Cargo.lock has, and compares.
fn same_as_mdbook(root: &Path) -> Result<()> {
    let lock = CargoLock::read(root).map_err(Error::msg)?;
    let version = lock.version("book", "mdbook-driver").map_err(Error::msg)?;
    let install = format!("cargo install --locked --version {version} mdbook");
    let found = command(root, "mdbook", &["--version"]).output();
    let found = found.with_context(|| format!("mdbook cannot be started: {install}"))?;
    let found = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    ensure!(found == format!("mdbook v{version}"), "this is {found}: {install}");
    cargo(root, &["book"])?;
    let book = root.join("book");
    let ours = contents(&book)?;
    run(&mut command(root, "mdbook", &["build"]))?;
    let theirs = contents(&book)?;
    let names = ours.keys().chain(theirs.keys());
    let differs = |name: &&PathBuf| ours.get(*name) != theirs.get(*name);
    match names.into_iter().find(differs) {
        // mdBook's index is made by elasticlunr-rs, which Cargo.lock may have in another version.
        Some(name) => bail!("mdbook gives other bytes for {}", name.display()),
        None => {
            println!("The same bytes in {} files", ours.len());
            Ok(())
        }
    }
}

/// The bytes of the files below a directory, by their paths relative to it.
fn contents(directory: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let read = |file: PathBuf| {
        let bytes = fs::read(directory.join(&file));
        let bytes = bytes.with_context(|| format!("{} cannot be read", file.display()))?;
        Ok((file, bytes))
    };
    files::below(directory)?.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_in_tokio_is_checked_as_it_is_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
        let flag = format!("pub const FLAG: &str = \"{TOKIO_COUNTS}\";");
        assert!(read("crates/metered-tokio/src/lib.rs").contains(&flag), "{flag} is not its flag");
        let build = read("experiments/cache-locality/src/runtime_metrics/unstable_build.rs");
        let clippy = clippy_where_tokio_counts(&root);
        let arguments: Vec<&str> = clippy.get_args().filter_map(|it| it.to_str()).collect();
        let directory = arguments.windows(2).find(|pair| pair[0] == "--target-dir").unwrap();
        let same = format!("[\"--target-dir\", \"{}\"]", directory[1]);
        assert!(build.contains(&same), "it is built elsewhere than in {}", directory[1]);
    }
}
