//! Writes the data directory: every file as a whole, and what took minutes to measure is not lost.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use tempfile::{NamedTempFile, TempDir};

/// Keeps a run that cannot be written to where it belongs, and says where: it has taken minutes.
pub(crate) fn rescue(chapter: &str, text: &str) -> String {
    let kept = NamedTempFile::with_suffix(format!("-{chapter}.jsonl")).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        Ok(file.into_temp_path().keep()?)
    });
    match kept {
        Ok(path) => format!("data/ is as it was; the run is kept in {}", path.display()),
        Err(error) => format!("data/ is as it was, and the run is lost ({error})"),
    }
}

/// How the directories begin in which files are written.
const STAGED: &str = ".being-written-";

/// Writes files below a directory, each as a whole: whoever reads them, and whenever this is killed, finds the old or
/// the new. None takes its place before all are on the disk, so that a full one changes nothing; then they do so in
/// the order in which they are given.
pub(crate) fn write(directory: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let failed = |file: &Path| format!("{} cannot be written", directory.join(file).display());
    let staged = stage(directory).with_context(|| failed(Path::new("")))?;
    let place = |index: usize| staged.path().join(index.to_string());
    for (index, (file, bytes)) in files.iter().enumerate() {
        let write = || {
            let mut staged = File::create(place(index))?;
            staged.write_all(bytes)?;
            staged.sync_all()
        };
        write().with_context(|| failed(file))?;
    }
    for (file, _) in files {
        let parent = directory.join(file);
        fs::create_dir_all(parent.parent().unwrap_or(directory)).with_context(|| failed(file))?;
    }
    for (index, (file, _)) in files.iter().enumerate() {
        fs::rename(place(index), directory.join(file)).with_context(|| failed(file))?;
    }
    Ok(())
}

/// Where files are written before they take their places. What was left there by those that were killed while they
/// wrote is removed; who still writes has not done so for an hour.
fn stage(directory: &Path) -> io::Result<TempDir> {
    fs::create_dir_all(directory)?;
    for entry in fs::read_dir(directory)?.flatten() {
        let is_staged = entry.file_name().to_string_lossy().starts_with(STAGED);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if is_staged && age.is_some_and(|age| age > Duration::from_secs(3600)) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    tempfile::Builder::new().prefix(STAGED).tempdir_in(directory)
}
