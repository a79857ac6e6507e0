//! A copy of the book whose data a test may change.

use std::fs;
use std::io;
use std::path::Path;

use mdbook_measured::data::LOCAL;
use measurement::{Outcome, Row, Run};

mod files;

pub(crate) use files::{files, root};

/// Copies what the book is built from, but the reader's own runs.
pub(crate) fn copy_of_the_book() -> io::Result<tempfile::TempDir> {
    let copy = tempfile::tempdir()?;
    // What is measured and how it is built decides whether data are stale.
    let parts = [
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "book.toml",
        "crates",
        "data",
        "experiments",
        "rust-toolchain.toml",
        "src",
        "theme",
    ];
    for part in parts {
        let from = root().join(part);
        if from.exists() {
            copy_all(&from, &copy.path().join(part))?;
        }
    }
    Ok(copy)
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        fs::copy(from, to)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if from.ends_with("data") && name == LOCAL {
            continue;
        }
        copy_all(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// A run of the book in `root`.
pub(crate) fn run(root: &Path, machine: &str, chapter: &str) -> Result<Run, String> {
    let file = root.join("data").join(machine).join(format!("{chapter}.jsonl"));
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Run::parse(&text).map_err(|error| format!("{}:{error}", file.display()))
}

/// Multiplies all figures of a row.
pub(crate) fn multiply(row: &mut Row, factor: f64) {
    if let Outcome::Measured(measured) = &mut row.outcome {
        let figures = [&mut measured.estimate, &mut measured.low, &mut measured.high];
        figures.into_iter().chain(&mut measured.points).for_each(|figure| *figure *= factor);
    }
}

/// Writes a run into the book in `root`, as one of the machine that its header names.
pub(crate) fn write(root: &Path, run: &Run) -> io::Result<()> {
    let directory = root.join("data").join(&run.header.machine);
    fs::write(directory.join(format!("{}.jsonl", run.header.chapter)), run.to_json_lines())
}
