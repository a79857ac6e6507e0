//! A bound on waiting.

use std::io::Write;
use std::process;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The time limit for anything, however busy the machine and slow the build.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs `action`, which may hang: then ends the process with a message that
/// contains `name`. It is meant for tests, which run unattended.
pub fn in_time<Outcome>(
    name: &str,
    action: impl FnOnce() -> Outcome,
) -> Outcome {
    let (_ends, ended) = channel::<()>();
    let said = format!("{name} has not ended within {PATIENCE:?}");
    let watch = move || {
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Not with a macro, whose output a test would capture.
            drop(writeln!(std::io::stderr(), "{said}"));
            process::exit(1);
        }
    };
    // If no thread can be started, there is no limit.
    drop(thread::Builder::new().spawn(watch));
    action()
}
