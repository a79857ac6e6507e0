//! Writes files in the data directory atomically, and without losing a run that took minutes to
//! measure.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::{Builder, NamedTempFile, TempDir};

/// A disk is regarded as full if fewer bytes than this can be written to it.
const ROOM: usize = 256 << 10;

/// Saves a run that could not be written to its file: writes it to a temporary file, and returns
/// a message with the path. If this fails, too, prints the run.
pub(crate) fn rescue(chapter: &str, text: &str) -> String {
    let kept = NamedTempFile::with_suffix(format!("-{chapter}.jsonl")).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        Ok(file.into_temp_path().keep()?)
    });
    match kept {
        Ok(path) => format!("data/ is as it was; the run is kept in {}", path.display()),
        Err(error) => {
            host::say!("{text}");
            format!(
                "data/ is as it was; the run is printed above: copy it to a file, or make room and measure again ({error})"
            )
        }
    }
}

/// Checks that files can be written below a directory, and that the disk isn't full.
pub(crate) fn check(directory: &Path) -> Result<()> {
    let failed = || format!("{} cannot be written, so nothing is measured", directory.display());
    let try_it = || fs::write(stage(directory)?.path().join("room"), [0; ROOM]);
    try_it().with_context(failed)
}

/// Creates a directory for unfinished files. If this process is killed, the directory remains;
/// git ignores it.
fn stage(directory: &Path) -> std::io::Result<TempDir> {
    fs::create_dir_all(directory)?;
    Builder::new().prefix(".being-written-").tempdir_in(directory)
}

/// Writes files below a directory, each atomically: even if this process is killed, a reader
/// finds either the old or the new content. Files are replaced in the given order, and only once
/// all of them are on the disk, so a full disk changes nothing. All files have to be on the same
/// file system as the first.
pub(crate) fn write(directory: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let failed = |file: &Path| format!("{} cannot be written", directory.join(file).display());
    // Renaming works only within a file system, and the machine's directory may be on a different
    // file system than `directory`.
    let own = files.first().map(|(file, _)| directory.join(file.parent().unwrap_or(file)));
    let own = own.filter(|own| own.is_dir()).unwrap_or_else(|| directory.to_owned());
    let staged = stage(&own).with_context(|| failed(Path::new("")))?;
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
