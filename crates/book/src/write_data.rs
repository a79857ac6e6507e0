//! Writes the data directory: every file as a whole, and what took minutes to measure is not lost.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::{Builder, NamedTempFile, TempDir};

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

/// Whether files can be written below a directory.
pub(crate) fn check(directory: &Path) -> Result<()> {
    let failed = || format!("{} cannot be written, so nothing is measured", directory.display());
    stage(directory).map(drop).with_context(failed)
}

/// A directory for files that are being written, hidden from git, should this be killed.
fn stage(directory: &Path) -> std::io::Result<TempDir> {
    fs::create_dir_all(directory)?;
    Builder::new().prefix(".being-written-").tempdir_in(directory)
}

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
