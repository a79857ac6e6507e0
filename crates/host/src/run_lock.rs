//! The lock that allows only one run at a time, since two runs would disturb each other.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// While this lock is held, other runs on this computer wait.
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Waits until no other run is measuring. Calls `say` if it has to wait. If it can't find out
    /// whether another run is measuring, calls `say` and returns no lock.
    pub fn acquire(say: impl Fn(&str)) -> Option<RunLock> {
        // The lock is one per computer, like its cores, and not per user or checkout, so TMPDIR
        // doesn't matter. A test uses a lock of its own.
        let of_all = || if cfg!(unix) { "/tmp".into() } else { std::env::temp_dir() };
        let directory = std::env::var_os("HARNESS_LOCK_IN").map_or_else(of_all, PathBuf::from);
        let path = directory.join("threads-tasks-and-cores.lock");
        let created = File::options().create(true).append(true).open(&path);
        // A file that belongs to another user can still be opened for reading, and locked.
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
