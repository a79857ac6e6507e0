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

/// Multiplies all figures of a row.
pub(crate) fn multiply(row: &mut Row, factor: f64) {
    if let Outcome::Measured(measured) = &mut row.outcome {
        let figures = [&mut measured.estimate, &mut measured.low, &mut measured.high];
        figures.into_iter().chain(&mut measured.points).for_each(|figure| *figure *= factor);
    }
}

/// Writes runs into a file, one behind the other.
pub(crate) fn write(file: &Path, runs: &[Run]) -> io::Result<()> {
    fs::write(file, runs.iter().map(Run::to_json_lines).collect::<String>())
}
