//! The file that is read, and what it takes for it not to be in the page cache.

use std::fs::File;
use std::io::{IoSliceMut, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{fadvise, Advice};
use rustix::io::{preadv2, Errno, ReadWriteFlags};
use tempfile::NamedTempFile;

/// How long it is.
pub(crate) const BYTES: usize = 4096;

/// How often the kernel is asked to drop it: a page that has just come may be in use for
/// a moment.
const TRIES: usize = 100;

/// A file that is gone when this is dropped.
#[derive(Debug)]
pub(super) struct ConfigFile {
    file: NamedTempFile,
    content: Vec<u8>,
}

impl ConfigFile {
    /// In the directory for temporary files, written to the disk and still in the page
    /// cache.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
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

    /// Whether it is what was read.
    pub(super) fn is(&self, content: &[u8]) -> bool {
        self.content == content
    }
}

/// Takes a file out of this kernel's page cache. A host below may still have it in its
/// memory.
///
/// # Errors
///
/// If it is still there, which a read that must not wait tells: the advice is free
/// to do nothing, as it is where files live in memory.
pub(crate) fn evict(path: &Path) -> Result<(), String> {
    let file = File::open(path).map_err(|error| in_words(path, &error))?;
    let mut byte = [0];
    for _ in 0..TRIES {
        fadvise(&file, 0, None, Advice::DontNeed)
            .map_err(|error| in_words(path, &error))?;
        let mut into = [IoSliceMut::new(&mut byte)];
        match preadv2(&file, &mut into, 0, ReadWriteFlags::NOWAIT) {
            Err(Errno::AGAIN) => return Ok(()),
            Err(error) => return Err(in_words(path, &error)),
            Ok(_) => {}
        }
    }
    Err(format!(
        "{} stays in the page cache: its directory may be one in memory; set TMPDIR to \
         one on a disk",
        path.display()
    ))
}

fn in_words(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Whether a file can be taken out of the page cache here.
///
/// # Errors
///
/// Why not.
pub(crate) fn can_be_evicted() -> Result<(), String> {
    evict(&ConfigFile::new()?.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_evicted_is_what_it_was() {
        let file = ConfigFile::new().unwrap();
        match evict(&file.path()) {
            Ok(()) => {}
            Err(reason) => println!("cannot be had here: {reason}"),
        }
        assert!(file.is(&std::fs::read(file.path()).unwrap()));
        assert!(!file.is(b"something else"));
    }
}
