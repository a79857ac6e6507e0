//! Writes the data directory: every file as a whole, and what took minutes to measure is not lost.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use mdbook_measured::replace_file::persist;
use measurement::LineError;
use tempfile::NamedTempFile;

/// What is there already, to which more is appended. `check` makes it ready for that; what it refuses is left
/// alone.
pub(crate) fn before(
    file: &Path,
    check: fn(Vec<u8>) -> Result<Vec<u8>, LineError>,
) -> Result<Vec<u8>> {
    let found = match fs::read(file) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    check(found).map_err(|error| {
        let file = file.display();
        anyhow::anyhow!("{file}:{error}: mend or remove it, then a run can be appended")
    })
}

/// Keeps a run that cannot be written to where it belongs, and says where: it has taken minutes.
pub(crate) fn rescue(name: &str, text: &str) -> String {
    let kept = NamedTempFile::with_suffix(format!("-{name}")).and_then(|mut file| {
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

/// Writes a machine's files, each as a whole: whoever reads them, and whenever this is killed, finds
/// the old or the new. None takes its place before all are on the disk, so that a full one changes
/// nothing; then they do so in the order in which they are given. A machine that is new gets its directory with all of them at once.
pub(crate) fn write(directory: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    let failed = |path: &Path| format!("{} cannot be written", path.display());
    let parent = directory.parent().with_context(|| failed(directory))?;
    fs::create_dir_all(parent).with_context(|| failed(directory))?;
    remove_leftovers(parent);
    let staged = tempfile::Builder::new().prefix(STAGED).tempdir_in(parent);
    let staged = staged.with_context(|| failed(directory))?;
    let target = if directory.exists() { directory } else { staged.path() };
    let mut written = Vec::new();
    for (name, bytes) in files {
        let file = directory.join(name);
        if fs::read(&file).is_ok_and(|found| found == *bytes) {
            continue;
        }
        let temporary = stage(staged.path(), bytes).with_context(|| failed(&file))?;
        written.push((temporary, target.join(name), name));
    }
    for (_, file, name) in &written {
        let parent = file.parent().unwrap_or(target);
        fs::create_dir_all(parent).with_context(|| failed(&directory.join(name)))?;
    }
    for (temporary, file, name) in written {
        persist(temporary, &file).with_context(|| failed(&directory.join(name)))?;
    }
    if !directory.exists() {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let readable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(staged.path(), readable).with_context(|| failed(directory))?;
        }
        fs::rename(staged.path(), directory).with_context(|| failed(directory))?;
        // It is gone from there, so there is nothing to remove.
        drop(staged.keep());
    }
    Ok(())
}

/// Writes a file to the disk, in a directory where nobody looks for it.
fn stage(directory: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut temporary = NamedTempFile::new_in(directory)?;
    temporary.as_file_mut().write_all(bytes)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Removes what was left by those that were killed while they wrote. Who still writes has not done
/// so for an hour.
fn remove_leftovers(parent: &Path) {
    let hour = Duration::from_secs(3600);
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let staged = entry.file_name().to_string_lossy().starts_with(STAGED);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if staged && age.is_some_and(|age| age > hour) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Replaces one file by a text.
pub(crate) fn replace(file: &Path, text: &str) -> Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let staged = stage(directory, text.as_bytes()).and_then(|temporary| persist(temporary, file));
    staged.with_context(|| format!("{} cannot be written", file.display()))
}
