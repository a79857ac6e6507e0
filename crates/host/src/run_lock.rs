//! One run at a time: two at once would measure each other.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// Keeps other runs on this computer waiting while it lives.
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Waits until no other run measures. Says so by `say` if it has to wait, or
    /// cannot tell whether it should; then there is no lock.
    pub fn acquire(say: impl Fn(&str)) -> Option<RunLock> {
        // Of the computer, as its cores are, not of a user or of a checkout: whatever TMPDIR says. A test has its own.
        let of_all = || if cfg!(unix) { "/tmp".into() } else { std::env::temp_dir() };
        let directory = std::env::var_os("HARNESS_LOCK_IN").map_or_else(of_all, PathBuf::from);
        let path = directory.join("threads-tasks-and-cores.lock");
        let created = File::options().create(true).append(true).open(&path);
        // Another user's file can be read, and locked.
        let Ok(file) = created.or_else(|_| File::open(&path)) else {
            say("warning: whether another run is measuring is not known");
            return None;
        };
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            say("waiting for another run to end");
            drop(file.lock());
        }
        Some(RunLock { _file: file })
    }
}
