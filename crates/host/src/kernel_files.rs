//! The files in which the kernel tells what it knows: /proc and /sys, or what a test has made like
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use procfs_core::{ExplicitSystemInfo, FromRead, FromReadSI, KernelStats};

/// In how many ticks a second Linux tells CPU time to programs (USER_HZ), whatever its own rate: a
/// part of its interface on every processor for which this is built.
pub(crate) const TICKS_PER_SECOND: u64 = 100;

/// Where the kernel's files are.
#[derive(Debug, Clone)]
pub struct KernelFiles {
    root: PathBuf,
}

impl KernelFiles {
    /// This computer's own.
    pub fn of_this_computer() -> KernelFiles {
        KernelFiles { root: PathBuf::from("/") }
    }

    /// Those in a directory that is laid out like `/`.
    pub fn below(root: &Path) -> KernelFiles {
        KernelFiles { root: root.to_owned() }
    }

    /// Where a file is that a program would ask for as `path`, such as `/proc/stat`.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// What a file says, without the space around it; `None` if there is none or it says nothing.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = fs::read_to_string(self.path(path)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The number that a file has; `None` if it has none, as where it says `max`.
    pub(crate) fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// What procfs makes of a file.
    pub(crate) fn parsed<T: FromRead>(&self, path: impl AsRef<Path>) -> Option<T> {
        T::from_file(self.path(path)).ok()
    }

    /// What there is in a directory; nothing if there is none.
    pub(crate) fn entries(&self, path: impl AsRef<Path>) -> impl Iterator<Item = fs::DirEntry> {
        fs::read_dir(self.path(path)).into_iter().flatten().flatten()
    }

    /// How the CPUs have spent their time since the start.
    pub(crate) fn cpu_times(&self) -> Option<KernelStats> {
        // Of these only the ticks count there.
        let system = ExplicitSystemInfo {
            boot_time_secs: 0,
            ticks_per_second: TICKS_PER_SECOND,
            page_size: 4096,
            is_little_endian: cfg!(target_endian = "little"),
        };
        KernelStats::from_file(self.path("/proc/stat"), &system).ok()
    }
}

/// Directories like `/`, for the tests of those that read.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Such a directory with these files. It is there as long as what is returned first.
    pub(crate) fn made(files: &[(&str, &str)]) -> (tempfile::TempDir, KernelFiles) {
        let root = tempfile::tempdir().unwrap();
        let kernel = KernelFiles::below(root.path());
        for (name, text) in files {
            let file = kernel.path(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        (root, kernel)
    }

    /// The file `/proc/self/limits` with these soft limits on open files, locked memory and processes.
    pub(crate) fn process_limits([files, memory, processes]: [&str; 3]) -> String {
        let limits = [
            ("Max cpu time", "unlimited", "seconds"),
            ("Max file size", "unlimited", "bytes"),
            ("Max data size", "unlimited", "bytes"),
            ("Max stack size", "8388608", "bytes"),
            ("Max core file size", "0", "bytes"),
            ("Max resident set", "unlimited", "bytes"),
            ("Max processes", processes, "processes"),
            ("Max open files", files, "files"),
            ("Max locked memory", memory, "bytes"),
            ("Max address space", "unlimited", "bytes"),
            ("Max file locks", "unlimited", "locks"),
            ("Max pending signals", "96365", "signals"),
            ("Max msgqueue size", "819200", "bytes"),
            ("Max nice priority", "0", ""),
            ("Max realtime priority", "0", ""),
            ("Max realtime timeout", "unlimited", "us"),
        ];
        let head =
            format!("{:<26}{:<21}{:<21}{:<10}\n", "Limit", "Soft Limit", "Hard Limit", "Units");
        let line = |(name, soft, unit): &(&str, &str, &str)| {
            format!("{name:<26}{soft:<21}{:<21}{unit:<10}\n", "unlimited")
        };
        head + &limits.iter().map(line).collect::<String>()
    }

    #[test]
    fn what_is_asked_for_is_below_the_root() {
        let (root, files) = made(&[("/proc/a", " 17\n"), ("/proc/b", "max\n"), ("/proc/c", "\n")]);
        assert_eq!(files.path("/proc/a"), root.path().join("proc/a"));
        assert_eq!(files.text("/proc/a").as_deref(), Some("17"));
        assert_eq!(files.number("/proc/a"), Some(17));
        assert_eq!(files.number("/proc/b"), None);
        assert_eq!(files.text("/proc/c"), None);
        assert_eq!(files.text("/proc/d"), None);
        assert_eq!(files.entries("/proc").count(), 3);
        assert_eq!(files.entries("/sys").count(), 0);
    }
}
