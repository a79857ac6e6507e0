//! The layout of the data directory: which files it has, and where.
//!
//! The data directory contains a directory for each machine. This contains `machine.json` and a
//! directory for each chapter, which has one file of runs per experiment, and sometimes a file of
//! recordings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use measurement::LineError;

/// The name of the file that describes a machine, in the machine's directory.
pub const MACHINE: &str = "machine.json";

/// The name of the file with the history of the claims, in the data directory.
pub const CLAIMS: &str = "claims.jsonl";

/// Returns the path of the file with the measurements of an experiment, relative to the machine's
/// directory, with slashes.
pub fn runs_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}.jsonl")
}

/// The end of the name of a file of recordings, before the extension.
const RECORDINGS: &str = ".recording";

/// Returns the path of the file with the recordings of an experiment, relative to the machine's
/// directory, with slashes.
pub fn recordings_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}{RECORDINGS}.jsonl")
}

/// A file of runs, and what its path says about it.
#[derive(Debug)]
pub struct RunsPath {
    /// The path of the file.
    pub path: PathBuf,
    /// The chapter whose runs the file contains.
    pub chapter: String,
    /// The experiment whose runs the file contains.
    pub experiment: String,
    /// True if the file contains recordings, false if it contains measurements.
    pub is_of_recordings: bool,
}

/// The files in a machine's directory by kind. Each list is sorted.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) runs: Vec<RunsPath>,
    /// Files of runs that lie directly in the machine's directory, not in the directory of a
    /// chapter.
    pub(super) misplaced: Vec<PathBuf>,
    pub(super) unknown: Vec<PathBuf>,
}

/// The error if a directory can't be listed, or if the type of an entry can't be determined.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {why}", path.display())]
pub struct Unreadable {
    pub(super) path: PathBuf,
    pub(super) why: std::io::Error,
}

/// Returns the files of runs in a machine's directory, sorted by path.
pub fn runs_paths(directory: &Path) -> Result<Vec<RunsPath>, Unreadable> {
    found(directory).map(|found| found.runs)
}

pub(super) fn found(directory: &Path) -> Result<Found, Unreadable> {
    let mut found = Found::default();
    // Earlier versions of this program wrote files of histograms. Ignore them.
    let is_former = |name: &str| name.ends_with(".histograms.jsonl.gz");
    for (path, name, is_directory) in entries(directory)? {
        if is_directory {
            for (path, name, _) in entries(&path)? {
                match runs_path(&path) {
                    Some(of) => found.runs.push(of),
                    None if is_former(&name) => {}
                    None => found.unknown.push(path),
                }
            }
        } else if name.ends_with(".jsonl") {
            found.misplaced.push(path);
        } else if name != MACHINE && !is_former(&name) {
            found.unknown.push(path);
        }
    }
    Ok(found)
}

/// Returns what the path of a file of runs says: the chapter, the experiment and the kind.
/// Returns `None` if the extension isn't `jsonl`.
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

/// Returns the directories in the data directory, and the files in it that the book doesn't read.
/// Both lists are sorted. They are empty if the data directory doesn't exist.
pub(super) fn in_data(data: &Path) -> Result<[Vec<PathBuf>; 2], Unreadable> {
    if matches!(data.try_exists(), Ok(false)) {
        return Ok([Vec::new(), Vec::new()]);
    }
    let (directories, files): (Vec<_>, Vec<_>) =
        entries(data)?.into_iter().partition(|(.., is_directory)| *is_directory);
    let unknown = files.into_iter().filter(|(_, name, _)| name != CLAIMS).collect();
    Ok([directories, unknown].map(|found| found.into_iter().map(|(path, ..)| path).collect()))
}

/// Returns the entries of a directory, each with its path, its name, and true if it is a
/// directory itself. Skips hidden files, because they are still being written.
fn entries(directory: &Path) -> Result<Vec<(PathBuf, String, bool)>, Unreadable> {
    let at = |path: &Path| {
        let path = path.to_owned();
        |why| Unreadable { path, why }
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(at(directory))? {
        let path = entry.map_err(at(directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            let what = fs::metadata(&path).map_err(at(&path))?;
            found.push((path, name, what.is_dir()));
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the content of a file of data, which must be UTF-8.
pub fn read(file: &Path) -> Result<String, LineError> {
    let wrong = |line, message: &str| Err(LineError::new(line, message));
    let bytes = fs::metadata(file).and_then(|what| {
        // Rejects pipes and devices, because reading them may wait for a writer. Directories need
        // no check, because reading one fails anyway.
        let may_wait = !what.is_file() && !what.is_dir();
        if may_wait {
            return Err(std::io::Error::other("it is no file, but a pipe or a device"));
        }
        fs::read(file)
    });
    let bytes = bytes.map_err(|error| LineError::new(1, format!("cannot be read: {error}")))?;
    if bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]) {
        return wrong(1, "is UTF-16: save it as UTF-8");
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let is_text = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = bytes[..is_text].iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = format!(
            "is no UTF-8: the byte 0x{:02X} is none of it, as of a file in Latin-1; save it as UTF-8",
            bytes[is_text]
        );
        LineError::new(line, message)
    })?;
    if text.starts_with('\u{feff}') {
        return wrong(
            1,
            "begins with a byte order mark (BOM), which an editor put there: save it as UTF-8 without one",
        );
    }
    let is_marker = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
    if let Some(place) = text.lines().position(is_marker) {
        return wrong(
            place + 1,
            "a merge left its markers here: keep the lines of one side, or of both, and remove the markers",
        );
    }
    Ok(text)
}

/// Returns the path of a file relative to the book's root, with slashes, for error messages.
pub(crate) fn relative(root: &Path, file: &Path) -> String {
    let file = file.strip_prefix(root).unwrap_or(file);
    file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
