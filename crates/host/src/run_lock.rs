//! One run at a time: two at once would disturb each other.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// Makes other runs on this computer wait as long as it lives.
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Waits until no other run measures. Reports by `say` if it has to wait, or if it can't find
    /// out: then it returns no lock.
    pub fn acquire(say: impl Fn(&str)) -> Option<RunLock> {
        // The lock belongs to the computer, as its cores do, not to a user or a checkout, whatever
        // TMPDIR says. A test has its own.
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
