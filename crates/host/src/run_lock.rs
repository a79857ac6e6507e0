//! The lock that allows only one run at a time, since two runs would disturb each other.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// A machine-wide lock. While one run holds it, other runs wait.
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Waits until no other run is measuring. Calls `say` if it has to wait. If the lock file
    /// can't be used, calls `say` and returns `None`.
    pub fn acquire(say: impl Fn(&str)) -> Option<RunLock> {
        // All users and checkouts share the computer's cores, so they have to share the lock,
        // whatever TMPDIR says. Only a test uses a lock of its own.
        let of_all = || if cfg!(unix) { "/tmp".into() } else { std::env::temp_dir() };
        let directory = std::env::var_os("HARNESS_LOCK_IN").map_or_else(of_all, PathBuf::from);
        let path = directory.join("threads-tasks-and-cores.lock");
        let created = File::options().create(true).append(true).open(&path);
        // Another user's file can still be opened for reading, and locked.
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
