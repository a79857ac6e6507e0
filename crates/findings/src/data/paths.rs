//! Paths in the data directory.
//!
//! The data directory has a directory for each machine, which contains `machine.json` and a
//! directory for each chapter, with one file of runs per experiment, and optionally one of
//! recordings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use measurement::LineError;

/// The file of a machine's description, in its directory.
pub const MACHINE: &str = "machine.json";

/// Returns the file of an experiment's runs, in its machine's directory, with slashes.
pub fn runs_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}.jsonl")
}

/// The suffix of a file of recordings.
const RECORDINGS: &str = ".recording";

/// Returns the file of an experiment's recordings, in its machine's directory, with slashes.
pub fn recordings_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}{RECORDINGS}.jsonl")
}

/// A file of runs, and its place.
#[derive(Debug)]
pub struct RunsPath {
    /// Its path.
    pub path: PathBuf,
    /// The chapter of its runs.
    pub chapter: String,
    /// The experiment.
    pub experiment: String,
    /// True if the runs recorded, rather than measured.
    pub is_of_recordings: bool,
}

/// Returns the files of runs in a machine's directory, in order.
pub fn runs_paths(directory: &Path) -> Vec<RunsPath> {
    let files = directories(directory).flat_map(|chapter| files_of_lines(&chapter));
    files.filter_map(|path| runs_path(&path)).collect()
}

/// Returns the runs that a file in a chapter's directory contains, according to its name.
pub(super) fn runs_path(path: &Path) -> Option<RunsPath> {
    path.extension().filter(|found| *found == "jsonl")?;
    let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let stem = text(path.file_stem());
    let recorded = stem.strip_suffix(RECORDINGS);
    Some(RunsPath {
        chapter: text(path.parent().and_then(Path::file_name)),
        experiment: recorded.unwrap_or(&stem).to_owned(),
        is_of_recordings: recorded.is_some(),
        path: path.to_owned(),
    })
}

/// Returns the directories in a directory, in order; none if it is missing.
pub(super) fn directories(parent: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    entries(parent).into_iter().filter(|path| path.is_dir())
}

/// Returns the files of JSON lines in a directory itself, in order.
pub(super) fn files_of_lines(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let is_it = |path: &PathBuf| path.extension().is_some_and(|found| found == "jsonl");
    entries(directory).into_iter().filter(is_it)
}

/// Returns the entries of a directory, without hidden files, which are being written.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let visible = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    let mut found: Vec<PathBuf> = visible.map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Returns the unused files of a machine's directory, in order: those that are neither found by
/// [`runs_paths`] nor its description.
pub(super) fn unknown_files(directory: &Path) -> Vec<PathBuf> {
    let is_known = |path: &Path, is_of_chapter: bool| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Earlier versions wrote histograms. Files of runs next to the chapters are rejected as
        // misplaced.
        let is_of_runs = name.ends_with(".jsonl") || name.ends_with(".histograms.jsonl.gz");
        is_of_runs || (!is_of_chapter && name == MACHINE)
    };
    let chapters = directories(directory).flat_map(|it| entries(&it));
    let chapters = chapters.map(|path| (path, true));
    let beside = entries(directory).into_iter().filter(|path| !path.is_dir());
    let all = beside.map(|path| (path, false)).chain(chapters);
    all.filter(|(path, is_of_chapter)| !is_known(path, *is_of_chapter)).map(|it| it.0).collect()
}

/// Returns the content of a file.
pub(crate) fn read(file: &Path) -> Result<String, LineError> {
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| LineError::new(1, format!("cannot be read: {error}")))?;
    if text.starts_with('\u{feff}') {
        let message = "begins with a byte order mark (BOM), which an editor put there: save it as UTF-8 without one";
        return Err(LineError::new(1, message));
    }
    Ok(text)
}

/// Returns the path of a file relative to the book's root, with slashes, for messages.
pub(crate) fn relative(root: &Path, file: &Path) -> String {
    let file = file.strip_prefix(root).unwrap_or(file);
    file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
