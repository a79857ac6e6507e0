//! Measures an echo server under a load for a window of time. The server and
//! the load are separate processes.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness::Measurement;

use super::setting::{Cores, Setting};
use super::told;
pub(crate) use super::told::Seen;
use crate::load::{End, Report as Load, Settings};
use crate::serve::{self, command, Running, Server};
use crate::tied_child::TiedChild;

/// How long answers are counted in one measurement.
pub(crate) const WINDOW: Duration = Duration::from_secs(1);

const LEAD_IN: Duration = Duration::from_millis(500);

/// The server reports its resource use this long after the window has begun,
/// and again this long before it ends, so that a report that is some
/// milliseconds late is still within the window. The cost of a message is
/// then the ratio of two rates, the server's CPU time per second and the
/// window's messages per second, which only requires both to be steady: if a
/// tenth of a second is faster or slower by 10 %, the result is wrong by no
/// more than 0.5 %.
const MARGIN: Duration = Duration::from_millis(25);

/// How long a load may take to connect, or to report after its window.
const PATIENCE: Duration = Duration::from_secs(35);

/// Starts a process for `server` on the cores that `cores` assigns to it.
///
/// # Errors
///
/// If the server cannot be started here. The error is the reason.
pub(crate) fn start(
    program: &Path,
    server: &Server,
    cores: Cores,
) -> Result<Running, String> {
    Running::start(command_of(program, server, cores)?)
}

/// Returns the command that starts `server` on the cores that `cores` assigns
/// to it.
pub(super) fn command_of(
    program: &Path,
    server: &Server,
    cores: Cores,
) -> Result<Command, String> {
    let on = cores.of_server()?;
    Ok(command(program, server, on.len(), &on))
}

/// Starts `server`, and measures its throughput in a closed loop that lasts
/// for `window`.
///
/// # Errors
///
/// If the server or the load fails.
pub(super) fn closed_loop(
    program: &Path,
    server: &Server,
    setting: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    let running = start(program, server, setting.cores)?;
    closed_loop_of(running, program, server, setting, window)
}

/// Measures the throughput of a running server in a closed loop that lasts
/// for `window`.
///
/// # Errors
///
/// If the server or the load fails.
pub(crate) fn closed_loop_of(
    mut running: Running,
    program: &Path,
    server: &Server,
    setting: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    // If `window` is too short to measure, only checks the answers, with two
    // requests per connection.
    let (lead_in, end) = if window < WINDOW {
        (Duration::ZERO, End::Requests(2 * setting.connections as u64))
    } else {
        (LEAD_IN, End::After(window))
    };
    let settings = settings(&running, setting, lead_in, end)?;
    let seen = observe(program, &mut running, &settings, setting.cores)?;
    let also = told::figures(server, setting, &seen);
    Ok(Measurement { also, ..seen.load.into() })
}

/// Returns the load generator's settings for a closed loop.
///
/// # Errors
///
/// If the machine has too few cores.
pub(crate) fn settings(
    running: &Running,
    setting: Setting,
    lead_in: Duration,
    end: End,
) -> Result<Settings, String> {
    Ok(Settings {
        connections: setting.connections,
        message_bytes: setting.message_bytes,
        pipeline: setting.in_flight,
        // A single load thread could not keep a server busy that may use all
        // cores.
        threads: setting.cores.of_load()?.len().min(setting.connections),
        dealing: setting.dealing,
        dealing_seed: fastrand::u64(..),
        // On a separate core, the load spins. If it slept, the server would
        // have to pay for waking it.
        spin: setting.cores == Cores::Apart,
        lead_in,
        end,
        ..Settings::of(running.address())
    })
}

/// Runs a load, and asks the server for two reports: near the beginning and
/// near the end of the load's window.
///
/// # Errors
///
/// If the server or the load fails.
pub(crate) fn observe(
    program: &Path,
    running: &mut Running,
    settings: &Settings,
    cores: Cores,
) -> Result<Seen, String> {
    let failed = |reason| format!("the load: {reason}");
    let mut load = TiedChild::start(load_command(program, settings, cores)?)?;
    load.line(PATIENCE).map_err(failed)?;
    let begins = Instant::now() + settings.lead_in;
    let (before, after) = match settings.end {
        End::After(window) => {
            let ends = begins + window;
            let before = at(begins + MARGIN, running)?;
            (before, Some(at(ends - MARGIN, running)?))
        }
        End::Requests(_) => (running.report()?, None),
    };
    let said = load.line(PATIENCE).map_err(failed)?;
    let after = match after {
        Some(after) => after,
        None => running.report()?,
    };
    let load: Load = serde_json::from_str(&said).map_err(|error| {
        format!("what the load says cannot be read: {error}")
    })?;
    is_answered(&load)?;
    Ok(Seen { before, after, load })
}

/// Waits until `instant`, then asks the server for a report.
fn at(
    instant: Instant,
    running: &mut Running,
) -> Result<serve::Report, String> {
    sleep(instant.saturating_duration_since(Instant::now()));
    running.report()
}

/// # Errors
///
/// If any request was not answered correctly.
fn is_answered(load: &Load) -> Result<(), String> {
    let connections = &load.connections;
    if load.errors + load.unanswered + connections.refused == 0 {
        return Ok(());
    }
    let reason = connections.reason.as_deref().unwrap_or(
        "no connection broke: server or load stood still for a second",
    );
    Err(format!(
        "{} connections were made and {} not, {} answers were wrong, {} were lost, \
         {} did not come: {reason}",
        connections.made,
        connections.refused,
        load.wrong,
        load.lost,
        load.unanswered
    ))
}

/// Returns the command for a load that prints one line when its connections
/// are made, and its report at the end.
fn load_command(
    program: &Path,
    settings: &Settings,
    cores: Cores,
) -> Result<Command, String> {
    let on: Vec<String> =
        cores.of_load()?.iter().map(usize::to_string).collect();
    let mut command = Command::new(program);
    command.arg("load").args(settings.arguments());
    command.args(["--announce", "--json", "--on", &on.join(",")]);
    Ok(command)
}
