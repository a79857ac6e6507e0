//! One visit: a server and a load, each a process of its own, for a window of time.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use harness::Measurement;
use measurement::Source;

use super::setting::{Cores, Setting};
use crate::load::{End, Report as Load, Settings};
use crate::serve::{self, command, Running, Server};

/// What windows tell beside throughput.
pub(super) const ALSO: [(&str, Source); 3] = [
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
    ("CPU share of the load", Source::Getrusage),
];

/// How long answers are counted in a visit.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

/// How long a server is asked before anything is counted.
const LEAD_IN: Duration = Duration::from_millis(500);

/// Starts the server.
///
/// # Errors
///
/// If it cannot be started here, with the reason.
pub(super) fn start(
    program: &Path,
    server: &Server,
    cores: Cores,
) -> Result<Running, String> {
    let on = cores.of_server()?;
    Running::start(command(program, server, on.len(), &on))
}

/// What a closed loop gets from the server in the window.
///
/// # Errors
///
/// What is wrong with the server or the load.
pub(super) fn closed_loop(
    program: &Path,
    server: &Server,
    setting: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    let mut running = start(program, server, setting.cores)?;
    let before = running.report()?;
    // When only answers are checked, each connection asks as long as that takes.
    let (lead_in, end) = if window < WINDOW {
        (Duration::ZERO, End::Requests(2 * setting.connections as u64))
    } else {
        (LEAD_IN, End::After(window))
    };
    let settings = Settings {
        connections: setting.connections,
        message_bytes: setting.message_bytes,
        pipeline: setting.in_flight,
        // Where the server has all cores, one thread could not keep it busy.
        threads: setting.cores.of_load()?.len().min(setting.connections),
        // On a core of its own: else the server would pay for waking it.
        spin: setting.cores == Cores::Apart,
        lead_in,
        end,
        ..Settings::of(running.address())
    };
    let load = load(program, &settings, setting.cores)?;
    let after = running.report()?;
    if load.errors + load.unanswered > 0 || load.connections.refused > 0 {
        let reason = load.connections.reason.as_deref().unwrap_or("no reason");
        return Err(format!(
            "{} of {} connections were made, {} answers were wrong, {} were lost, \
             {} did not come: {reason}",
            load.connections.made,
            setting.connections,
            load.wrong,
            load.lost,
            load.unanswered
        ));
    }
    let also = used(&before, &after, &load);
    Ok(Measurement { also, ..load.into() })
}

/// What the server used a message, and the load's share of a core, in
/// the order of [`ALSO`]. The making of the connections counts as well.
fn used(
    before: &serve::Report,
    after: &serve::Report,
    load: &Load,
) -> Vec<f64> {
    let a_message = |figure: fn(&serve::Report) -> u64| {
        (figure(after) - figure(before)) as f64 / load.answered_in_all as f64
    };
    vec![
        a_message(|report| report.user_cpu_ns + report.system_cpu_ns),
        a_message(|report| {
            report.voluntary_switches + report.involuntary_switches
        }),
        load.cpu.user + load.cpu.system,
    ]
}

/// Runs a load in a process of its own.
fn load(
    program: &Path,
    settings: &Settings,
    cores: Cores,
) -> Result<Load, String> {
    let on: Vec<String> =
        cores.of_load()?.iter().map(usize::to_string).collect();
    let output = Command::new(program)
        .arg("load")
        .args(settings.arguments())
        .args(["--json", "--with-parent", "--on", &on.join(",")])
        .env_remove("RUST_BACKTRACE")
        // It ends with this process, which has the other end of the pipe.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .and_then(|mut child| {
            let stdin = child.stdin.take();
            let output = child.wait_with_output();
            drop(stdin);
            output
        })
        .map_err(|error| format!("the load cannot be run: {error}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the load: {}", words.trim()));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("what the load says cannot be read: {error}"))
}
