//! Counts how often a server calls the kernel per message. No time is
//! measured.

use std::path::Path;
use std::time::Duration;

use super::setting::{Cores, Setting};
use super::visit::{command_of, observe, settings};
use crate::load::End;
use crate::serve::{Running, Server, CALLS};

/// How long system calls are counted, and how long the load runs before the
/// counting starts.
const WINDOW: Duration = Duration::from_millis(400);
const LEAD_IN: Duration = Duration::from_millis(100);

/// Returns the names of the counted quantities, in the order of [`CALLS`].
pub(super) fn quantities() -> [String; CALLS.len()] {
    CALLS.map(|call| call.quantity("message"))
}

/// Starts an echo server that counts its system calls.
///
/// # Errors
///
/// If the server cannot be started here, or cannot count its calls. The error
/// is the reason.
pub(super) fn start(
    program: &Path,
    server: &Server,
    cores: Cores,
) -> Result<Running, String> {
    let mut command = command_of(program, server, cores)?;
    command.arg("--count-calls");
    Running::start(command)
}

/// Runs a closed loop, and returns the number of system calls per message for
/// each of the [`quantities`].
///
/// # Errors
///
/// If the server or the load fails.
pub(super) fn count(
    program: &Path,
    server: &Server,
    setting: Setting,
) -> Result<Vec<f64>, String> {
    let mut running = start(program, server, setting.cores)?;
    let settings = settings(&running, setting, LEAD_IN, End::After(WINDOW))?;
    let seen = observe(program, &mut running, &settings, setting.cores)?;
    let of = |quantity| seen.a_message(|report| report.calls[&quantity]);
    Ok(quantities().map(of).to_vec())
}
