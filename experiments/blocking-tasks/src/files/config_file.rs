//! A file to read, and functions that remove it from the page cache.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use nix::sys::resource::{getrusage, UsageWho};
use rustix::fs::{fadvise, Advice};
use tempfile::NamedTempFile;

/// The length of the file, in bytes.
pub(crate) const BYTES: usize = 4096;

/// The unit in which the kernel counts reads from disks, in bytes.
const BLOCK: u64 = 512;

/// A temporary file, which is deleted when this value is dropped.
#[derive(Debug)]
pub(super) struct ConfigFile {
    file: NamedTempFile,
    content: Vec<u8>,
}

impl ConfigFile {
    /// Creates the file in the directory for temporary files. It is written
    /// to the disk, but still in the page cache.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub(super) fn new() -> Result<ConfigFile, String> {
        let content: Vec<u8> =
            std::iter::repeat_with(|| fastrand::u8(..)).take(BYTES).collect();
        let write = || {
            let mut file = NamedTempFile::new()?;
            file.write_all(&content)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        let file = write().map_err(|error: std::io::Error| {
            let directory = std::env::temp_dir();
            format!("a file in {}: {error}", directory.display())
        })?;
        Ok(ConfigFile { file, content })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }

    pub(super) fn is(&self, content: &[u8]) -> bool {
        self.content == content
    }
}

/// Removes a file from the page cache of this kernel; the host of a virtual
/// machine may still cache it. The call is only advice, which the kernel may
/// ignore:
/// [`read_from_disks`] shows after the read whether the file had been removed.
/// A non-waiting read would show this earlier, but would also make the kernel
/// start to fetch the file.
///
/// # Errors
///
/// If there is no such file.
pub(crate) fn evict(path: &Path) -> Result<(), String> {
    let file = File::open(path).map_err(|error| in_words(path, &error))?;
    fadvise(&file, 0, None, Advice::DontNeed)
        .map_err(|error| in_words(path, &error))
}

/// Returns how many files of [`BYTES`] bytes this process has read from disks
/// since its start.
pub(crate) fn read_from_disks() -> Result<u64, String> {
    let used = getrusage(UsageWho::RUSAGE_SELF);
    let used = used.map_err(|error| error.to_string())?;
    Ok(used.block_reads() as u64 * BLOCK / BYTES as u64)
}

fn in_words(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Checks that this system removes a file from the page cache when asked to.
///
/// # Errors
///
/// The reason, if the system doesn't remove the file.
pub(crate) fn can_be_evicted() -> Result<(), String> {
    let file = ConfigFile::new()?;
    let path = file.path();
    evict(&path)?;
    let before = read_from_disks()?;
    std::fs::read(&path).map_err(|error| in_words(&path, &error))?;
    if read_from_disks()? > before {
        return Ok(());
    }
    Err(format!(
        "{} stays in the page cache: its directory may be one in memory; set TMPDIR to \
         one on a disk",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_evicted_is_what_it_was() {
        let file = ConfigFile::new().unwrap();
        evict(&file.path()).unwrap();
        assert!(file.is(&std::fs::read(file.path()).unwrap()));
        assert!(!file.is(b"something else"));
    }

    #[test]
    fn reading_a_file_that_was_evicted_is_counted() {
        if let Err(reason) = can_be_evicted() {
            println!("cannot be had here: {reason}");
            return;
        }
        let file = ConfigFile::new().unwrap();
        let before = read_from_disks().unwrap();
        for _ in 0..10 {
            evict(&file.path()).unwrap();
            std::fs::read(file.path()).unwrap();
        }
        assert!(read_from_disks().unwrap() - before >= 10);
    }
}
