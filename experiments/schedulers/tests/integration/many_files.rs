//! Ensures that tests that open many files run one at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use host::how_many::room_for_files;
use host::limits::raise_file_limit;

/// Makes other tests that open many files wait until this value is dropped.
pub(crate) struct ManyFiles {
    _alone: MutexGuard<'static, ()>,
}

impl ManyFiles {
    /// Waits until no other test opens many files. Returns `None`, and prints
    /// why, if this process may not open `files` files.
    pub(crate) fn room(files: usize) -> Option<ManyFiles> {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        raise_file_limit();
        match room_for_files(files as u64) {
            Ok(()) => Some(ManyFiles { _alone: alone }),
            Err(reason) => {
                println!("skipped: {reason}");
                None
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn where_few_files_may_be_open_tests_are_skipped_and_none_fails() {
    let tests = std::env::current_exe().unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -n 150; exec \"$0\" --nocapture sockets"]);
    let output = shell.arg(tests).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("skipped: ").count(), 5, "{said}");
}
