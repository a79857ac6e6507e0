//! Files on disk: where the data directory keeps what, and how a file is replaced as a whole.
//!
//! The data directory has a directory a machine, in it `machine.json`, and for each chapter a directory
//! with a file an experiment, whose runs stand one behind the other. A file a chapter is of method 2,
//! when there was one run of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The file of a machine's description, in its directory.
pub const MACHINE: &str = "machine.json";

/// The file of the runs of an experiment, in its machine's directory, with slashes.
pub fn runs_file(chapter: &str, experiment: &str) -> String {
    format!("{chapter}/{experiment}.jsonl")
}

/// A file that holds runs, by its place.
pub(crate) struct RunsFile {
    pub(crate) path: PathBuf,
    pub(crate) chapter: String,
    pub(crate) experiment: Option<String>,
}

/// The files of runs in a machine's directory, in order: a chapter's of method 2 behind those of its
/// experiments.
pub(crate) fn runs_files(directory: &Path) -> Vec<RunsFile> {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_experiments = directories(directory).into_iter().flat_map(|chapter| {
        let name = stem(&chapter);
        files(&chapter, "jsonl").into_iter().map(move |path| {
            let experiment = Some(path.file_stem().unwrap_or_default().to_string_lossy().into());
            RunsFile { path, chapter: name.clone(), experiment }
        })
    });
    let of_chapters = files(directory, "jsonl").into_iter().map(|path| {
        let chapter = stem(&path);
        RunsFile { path, chapter, experiment: None }
    });
    of_experiments.chain(of_chapters).collect()
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

/// Moves a temporary file into place, readable like any other file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn persist(temporary: NamedTempFile, file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o644))?;
    }
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}
