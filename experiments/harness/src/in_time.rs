//! A bound on waiting.

use std::io::Write;
use std::process;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How long anything may take, however busy the machine is and slow the build.
const PATIENCE: Duration = Duration::from_secs(600);

/// Does what may wait for ever, and then ends the process and says what did: for tests, which nobody watches.
pub fn in_time<Outcome>(
    name: &str,
    action: impl FnOnce() -> Outcome,
) -> Outcome {
    let (_ends, ended) = channel::<()>();
    let said = format!("{name} has not ended within {PATIENCE:?}");
    let watch = move || {
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // By no macro: of these, a test keeps the words to itself.
            drop(writeln!(std::io::stderr(), "{said}"));
            process::exit(1);
        }
    };
    // Where no thread can be started, nobody watches.
    drop(thread::Builder::new().spawn(watch));
    action()
}
