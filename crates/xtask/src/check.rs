//! `cargo xtask check`: what CI checks, and what each step costs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use clap::ValueEnum;
use measurement::cargo_lock::CargoLock;

use crate::costs::Cost;

/// One thing to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Step {
    /// Rust is formatted
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
            Step::Fmt => cargo(root, &["fmt", "--all", "--check"]),
            Step::Book => cargo(root, &["book"]).and_then(|()| cargo(root, &["book"])),
            Step::Test => cargo(root, &["test"]),
            Step::Clippy => {
                cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
            }
            Step::Browser => {
                run(command(root, "cargo", &["test", "--test", "browser"])
                    .env("REQUIRE_BROWSER", "1"))
            }
            Step::Mdbook => same_as_mdbook(root),
        }
    }
}

fn command(root: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).args(arguments);
    command
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let status = command.status();
    let status = status.with_context(|| format!("{} cannot be started", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    run(&mut command(root, "cargo", arguments))
}

/// Builds the book by `cargo book` and by mdbook, in the version that Cargo.lock has, and compares.
fn same_as_mdbook(root: &Path) -> Result<()> {
    let lock = CargoLock::read(&root.join("Cargo.lock"))?;
    let version = lock.version("mdbook-driver").context("Cargo.lock has no mdbook-driver")?;
    let install = format!("cargo install --locked --version {version} mdbook");
    let found = command(root, "mdbook", &["--version"]).output();
    let found = found.with_context(|| format!("mdbook cannot be started: {install}"))?;
    let found = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    ensure!(found == format!("mdbook v{version}"), "this is {found}: {install}");
    cargo(root, &["book"])?;
    let book = root.join("book");
    let ours = files(&book)?;
    run(&mut command(root, "mdbook", &["build"]))?;
    let theirs = files(&book)?;
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

/// The files below a directory, by their paths relative to it.
fn files(directory: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(parent) = waiting.pop() {
        let failed = || format!("{} cannot be read", parent.display());
        for entry in fs::read_dir(&parent).with_context(failed)? {
            let path = entry.with_context(failed)?.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let bytes = fs::read(&path).with_context(failed)?;
                found.insert(path.strip_prefix(directory)?.to_owned(), bytes);
            }
        }
    }
    Ok(found)
}
