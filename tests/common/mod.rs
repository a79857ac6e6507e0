//! Finds the book, and makes copies of it with other data.

use std::fs;
use std::path::{Path, PathBuf};

use findings::data::paths::runs_paths;
use findings::data::LOCAL;
use measurement::{is_share, Outcome, Row, Run};
use pages::driver;
use tempfile::TempDir;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lists all files below `directory` whose names end in `end`. The paths are sorted, and relative
/// to `directory`.
pub(crate) fn files(directory: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = PathBuf::from(entry.file_name());
        if entry.path().is_dir() {
            found.extend(files(&entry.path(), end).iter().map(|below| name.join(below)));
        } else if name.to_string_lossy().ends_with(end) {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Copies everything from which the book is built, except the reader's own runs. Adds `machines`:
/// each has the reference machine's runs, with all figures multiplied by the machine's factor.
pub(crate) fn copy_with(machines: &[(&str, f64)]) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_all(root(), copy.path());
    let reference = driver::config(root()).unwrap().reference;
    let data = copy.path().join("data");
    for (name, factor) in machines {
        let machine = read(data.join(&reference).join("machine.json"));
        // Make the short name of each added machine unique.
        let machine = machine.replace("\"short\": \"", &format!("\"short\": \"{name}, "));
        put(&data.join(name).join("machine.json"), &machine.replace(&reference, name));
        for of in
            runs_paths(&data.join(&reference)).unwrap().iter().filter(|of| !of.is_of_recordings)
        {
            let path = of.path.strip_prefix(data.join(&reference)).unwrap();
            let mut runs = Run::parse_all(&read(&of.path)).unwrap();
            runs.iter_mut().for_each(|run| run.header.machine = name.to_string());
            runs.iter_mut().flat_map(|run| &mut run.rows).for_each(|row| multiply(row, *factor));
            write(&data.join(name).join(path), &runs);
        }
    }
    copy
}

fn copy_all(from: &Path, to: &Path) {
    // These directories aren't needed for building the book.
    let left_out = [".git", "target", "book", LOCAL].map(|name| {
        let parent = if name == LOCAL { "data" } else { "" };
        root().join(parent).join(name)
    });
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if left_out.contains(&path) {
            continue;
        }
        if path.is_dir() {
            fs::create_dir(&copy).unwrap();
            copy_all(&path, &copy);
        } else {
            fs::copy(&path, &copy).unwrap();
        }
    }
}

/// Multiplies all figures of a row by `factor`. A share stays at most 1.
pub(crate) fn multiply(row: &mut Row, factor: f64) {
    let is_share = is_share(&row.quantity);
    if let Outcome::Measured(measured) = &mut row.outcome {
        // If `factor` would make a measurement of a share larger than 1, a smaller factor is
        // applied to all measurements of the share.
        let most = measured.points.iter().copied().fold(measured.high, f64::max);
        let factor = if is_share { factor.min(1.0 / most).max(1.0) } else { factor };
        let figures = [&mut measured.estimate, &mut measured.low, &mut measured.high];
        figures.into_iter().chain(&mut measured.points).for_each(|figure| *figure *= factor);
    }
}

pub(crate) fn write(file: &Path, runs: &[Run]) {
    put(file, &runs.iter().map(Run::to_json_lines).collect::<String>());
}

fn put(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}
