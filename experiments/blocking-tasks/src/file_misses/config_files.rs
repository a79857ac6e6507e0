//! The files to read. Some of them are not in the page cache.

use std::cell::OnceCell;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::OFlags;
use tempfile::TempDir;

use crate::files::{evict, BYTES};

/// The number of files: enough that waking the threads takes only a small
/// part of the time.
const COUNT: usize = 1_000;

/// Files in a temporary directory, which is deleted when this value is
/// dropped.
#[derive(Debug)]
pub(super) struct ConfigFiles {
    files: Vec<ConfigFile>,
    _directory: TempDir,
}

#[derive(Debug)]
pub(super) struct ConfigFile {
    path: PathBuf,
    /// The value of every byte in the file.
    byte: u8,
}

/// Memory for one file's content, aligned as direct I/O requires.
#[repr(align(4096))]
struct Page([u8; BYTES]);

impl ConfigFiles {
    /// Returns the calling thread's files. All measurements on the thread
    /// share them, because creating and deleting files takes longer than
    /// reading them.
    ///
    /// # Errors
    ///
    /// If the files cannot be written.
    pub(super) fn of_this_thread() -> Result<Arc<ConfigFiles>, String> {
        thread_local! {
            static FILES: OnceCell<Arc<ConfigFiles>> =
                const { OnceCell::new() };
        }
        FILES.with(|files| {
            if let Some(files) = files.get() {
                return Ok(Arc::clone(files));
            }
            let new = Arc::new(ConfigFiles::new()?);
            Ok(Arc::clone(files.get_or_init(|| new)))
        })
    }

    fn new() -> Result<ConfigFiles, String> {
        let write = || {
            let directory = harness::temporary_directory()?;
            let write = |index| ConfigFile::new(directory.path(), index);
            let files = (0..COUNT).map(write).collect::<Result<_, _>>()?;
            Ok(ConfigFiles { files, _directory: directory })
        };
        write().map_err(|error: std::io::Error| {
            let directory = std::env::temp_dir();
            format!("{COUNT} files in {}: {error}", directory.display())
        })
    }

    /// Removes `percent` percent of the files, evenly spread, from the page
    /// cache. Returns the number of files removed.
    ///
    /// # Errors
    ///
    /// If a file is missing.
    pub(super) fn evict(&self, percent: usize) -> Result<u64, String> {
        let up_to = |index: usize| index * percent / 100;
        let is_out = |index: &usize| up_to(*index) < up_to(index + 1);
        let mut out = 0;
        for index in (0..COUNT).filter(is_out) {
            evict(&self.files[index].path)?;
            out += 1;
        }
        Ok(out)
    }

    pub(super) fn get(&self, index: usize) -> Option<&ConfigFile> {
        self.files.get(index)
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }
}

impl ConfigFile {
    fn new(directory: &Path, index: usize) -> std::io::Result<ConfigFile> {
        let path = directory.join(format!("{index}.toml"));
        let byte = index as u8;
        // Direct I/O bypasses the page cache. A page written through the
        // cache couldn't be evicted until it had been written to the disk.
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .custom_flags(OFlags::DIRECT.bits() as i32)
            .open(&path)?;
        file.write_all(&Page([byte; BYTES]).0)?;
        Ok(ConfigFile { path, byte })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(super) fn is(&self, content: &[u8]) -> bool {
        content == [self.byte; BYTES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_was_written_and_gone_with_their_thread() {
        let files = ConfigFiles::of_this_thread().unwrap();
        assert_eq!(files.len(), COUNT);
        for (index, other) in [(0, 1), (7, 300), (999, 0)] {
            let (file, other) = (&files.files[index], &files.files[other]);
            let content = std::fs::read(file.path()).unwrap();
            assert!(file.is(&content) && !other.is(&content));
            assert!(!file.is(&content[1..]));
        }
        let path = || {
            let files = ConfigFiles::of_this_thread().unwrap();
            files.files[0].path()
        };
        assert_eq!(path(), files.files[0].path());
        assert!(!std::thread::spawn(path).join().unwrap().exists());
    }
}
