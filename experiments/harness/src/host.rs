//! What the rest of the machine does meanwhile, and which machine it is.

#[cfg(target_os = "linux")]
mod control_group;
mod hardware;
mod own_use;
#[cfg(target_os = "linux")]
mod processes;
mod quiet;

pub(crate) use self::{
    hardware::{find_out, line_now},
    own_use::{OwnUse, Shares},
    quiet::wait_for_quiet,
};

use std::fs::{File, TryLockError};

/// Waits until no other run measures on this machine, and keeps others waiting
/// while what it returns lives. Says so by `say` if it has to wait, or cannot
/// tell whether it should.
pub(crate) fn alone(say: impl Fn(&str)) -> Option<File> {
    let path = std::env::temp_dir().join("threads-tasks-and-cores.lock");
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
    Some(file)
}
