//! A time limit for actions that may hang.

use std::io::Write;
use std::process;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The time limit, long enough for any action even on a busy machine and with
/// a slow build.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs `action`. If it hangs, ends this process with a message that contains
/// `name`. For tests, which run unattended.
pub fn in_time<Outcome>(
    name: &str,
    action: impl FnOnce() -> Outcome,
) -> Outcome {
    let (_ends, ended) = channel::<()>();
    let said = format!("{name} has not ended within {PATIENCE:?}");
    let watch = move || {
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Writes to stderr directly, because a test would capture the
            // output of a macro such as `eprintln`.
            drop(writeln!(std::io::stderr(), "{said}"));
            process::exit(1);
        }
    };
    // If the watching thread can't be started, the action has no time limit.
    drop(thread::Builder::new().spawn(watch));
    action()
}
