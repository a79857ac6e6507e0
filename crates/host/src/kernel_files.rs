//! The kernel's files in /proc and /sys, or a test's imitation of them.

use std::fs;
use std::path::{Path, PathBuf};

use procfs_core::FromRead;

/// Linux reports CPU time to programs in this many ticks per second (USER_HZ), whatever its
/// internal rate. The number is part of the interface on every processor that we build for.
const TICKS_PER_SECOND: f64 = 100.0;

pub(crate) fn seconds(ticks: u64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND
}

/// The kernel's files, below a directory with the layout of `/`.
#[derive(Clone)]
pub struct KernelFiles(PathBuf);

impl KernelFiles {
    /// Returns this computer's own files.
    pub fn of_this_computer() -> KernelFiles {
        KernelFiles("/".into())
    }

    /// Returns the real path of a kernel file such as `/proc/stat`, inside the directory used in
    /// place of `/`.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Returns the trimmed content of a file; `None` if the file is missing or empty.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = fs::read_to_string(self.path(path)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the number in a file; `None` if the file contains something else, for example
    /// `max`.
    pub(crate) fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Returns the value of a kernel setting that `sysctl` knows as `name`.
    pub(crate) fn sysctl(&self, name: &str) -> Option<u64> {
        self.number(format!("/proc/sys/{}", name.replace('.', "/")))
    }

    pub(crate) fn parsed<T: FromRead>(&self, path: impl AsRef<Path>) -> Option<T> {
        T::from_file(self.path(path)).ok()
    }

    /// Returns the entries of a directory; none if the directory is missing.
    pub(crate) fn entries(&self, path: impl AsRef<Path>) -> impl Iterator<Item = fs::DirEntry> {
        fs::read_dir(self.path(path)).into_iter().flatten().flatten()
    }

    /// Parses the file `file`, such as `stat`, in the directory of every process in /proc.
    pub(crate) fn of_processes<T: FromRead>(&self, file: &'static str) -> impl Iterator<Item = T> {
        let processes = self.entries("/proc").filter(|entry| {
            entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok())
        });
        processes.filter_map(move |process| T::from_file(process.path().join(file)).ok())
    }
}

/// Creates directories with the layout of `/`, for tests.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Creates a directory with `files`. A line that begins with a path starts a file; the rest
    /// of that line and the lines up to the next path are its content. Dropping the first result
    /// deletes the directory.
    pub(crate) fn made(files: &str) -> (tempfile::TempDir, KernelFiles) {
        let root = tempfile::tempdir().unwrap();
        let kernel = KernelFiles(root.path().to_owned());
        for file in files.split("\n/").filter(|file| !file.is_empty()) {
            let (path, text) = file.split_once(' ').unwrap();
            let path = kernel.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{}\n", text.trim_end())).unwrap();
        }
        (root, kernel)
    }

    /// Returns the content of `/proc/self/limits` with these soft limits on open files, locked
    /// memory and processes.
    pub(crate) fn process_limits([files, memory, processes]: [&str; 3]) -> String {
        format!(
            "/proc/self/limits Limit   Soft Limit           Hard Limit           Units     \n\
             Max cpu time              unlimited            unlimited            seconds   \n\
             Max file size             unlimited            unlimited            bytes     \n\
             Max data size             unlimited            unlimited            bytes     \n\
             Max stack size            8388608              unlimited            bytes     \n\
             Max core file size        0                    unlimited            bytes     \n\
             Max resident set          unlimited            unlimited            bytes     \n\
             Max processes             {processes}          unlimited            processes \n\
             Max open files            {files}              unlimited            files     \n\
             Max locked memory         {memory}             unlimited            bytes     \n\
             Max address space         unlimited            unlimited            bytes     \n\
             Max file locks            unlimited            unlimited            locks     \n\
             Max pending signals       96365                96365                signals   \n\
             Max msgqueue size         819200               819200               bytes     \n\
             Max nice priority         0                    0                    \n\
             Max realtime priority     0                    0                    \n\
             Max realtime timeout      unlimited            unlimited            us        \n"
        )
    }

    /// Returns the content of a process's file `stat`. The process has spent `ticks` ticks in
    /// user mode and 5 in system mode, and the children that it has waited for have spent 1.
    pub(crate) fn process_stat(id: i32, parent: i32, name: &str, ticks: u64) -> String {
        format!("{id} ({name}) S {parent} 1 1 0 0 0 0 0 0 0 {ticks} 5 1 0{}\n", " 0".repeat(35))
    }
}
