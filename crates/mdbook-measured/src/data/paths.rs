//! Paths in the data directory: where it keeps what.
//!
//! The data directory has a directory a machine, in it `machine.json`, and for each chapter a directory
//! with a file an experiment, whose runs stand one behind the other, and beside it one of its recordings, and
//! one of its histograms.

use std::fs;
use std::path::{Path, PathBuf};

/// The file of a machine's description, in its directory.
pub const MACHINE: &str = "machine.json";

/// The file of the runs of an experiment, in its machine's directory, with slashes.
pub fn runs_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}.jsonl")
}

/// What the name of a file of recordings ends with.
const RECORDINGS: &str = ".recording";

/// The file of the recordings of an experiment, in its machine's directory, with slashes.
pub fn recordings_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}{RECORDINGS}.jsonl")
}

/// The file of the histograms of an experiment's runs, in its machine's directory, with slashes. Nothing here
/// reads it.
pub fn histograms_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}.histograms.jsonl.gz")
}

/// A file that holds runs, by its place.
#[derive(Debug)]
pub struct RunsPath {
    /// Where it is.
    pub path: PathBuf,
    /// The chapter whose runs it holds.
    pub chapter: String,
    /// The experiment.
    pub experiment: String,
    /// Whether they recorded, rather than measured.
    pub is_of_recordings: bool,
}

/// The files of runs in a machine's directory, in order.
pub fn runs_paths(directory: &Path) -> Vec<RunsPath> {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_chapter = |chapter: PathBuf| {
        let name = stem(&chapter);
        files(&chapter, "jsonl").into_iter().map(move |path| {
            let stem = stem(&path);
            let of_recordings = stem.strip_suffix(RECORDINGS);
            let is_of_recordings = of_recordings.is_some();
            let experiment = of_recordings.unwrap_or(&stem).to_owned();
            RunsPath { path, chapter: name.clone(), experiment, is_of_recordings }
        })
    };
    directories(directory).into_iter().flat_map(of_chapter).collect()
}

/// Files of rows that stand in a machine's directory itself, where no run belongs.
pub(crate) fn misplaced(directory: &Path) -> Vec<PathBuf> {
    files(directory, "jsonl")
}

/// The directories in a directory, in order; none if it is not there.
pub(crate) fn directories(parent: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = entries(parent).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let wanted = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    let mut found: Vec<PathBuf> = entries(directory).filter(wanted).collect();
    found.sort();
    found
}

/// What is in a directory but hidden files, which are being written.
fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let visible = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    visible.map(|entry| entry.path())
}

/// A file relative to the book's root, with slashes, for messages.
pub(crate) fn relative(root: &Path, file: &Path) -> String {
    let file = file.strip_prefix(root).unwrap_or(file);
    file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
