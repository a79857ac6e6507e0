//! Measures a server for a window of time. The server is a process on the
//! last core, and the load is another process on the first core.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::Measurement;
use host::cores::{room_for_cores, usable};
use measurement::Source;
use thread_per_core::load::{Arrivals, End, Pace, Settings};
use thread_per_core::observe::{observe, Observed};
use thread_per_core::serve::Running;

use crate::arm::Arm;
use crate::interrupts::INTERRUPTS;
use crate::process::command;

/// The central number of connections, as in the chapter Thread per core.
pub(crate) const CONNECTIONS: usize = 100;
pub(crate) const MESSAGE_BYTES: usize = 64;
pub(crate) const IN_FLIGHT: usize = 1;

pub(crate) const WINDOW: Duration = Duration::from_secs(1);

/// The length of the period in which an open loop's requests are due.
pub(crate) const DUE: Duration = Duration::from_millis(400);

const LEAD_IN: Duration = Duration::from_millis(200);

/// The minimum share of a fixed rate that a server must answer. A server that
/// answers less is overloaded, and its latency depends on when the
/// measurement ends.
const CARRIED: f64 = 0.75;

/// Quantities that are measured in a closed loop in addition to throughput.
/// They show how busy the server and the load are. If neither is busy all the
/// time, the throughput shows the capacity of neither.
pub(crate) const QUANTITIES: [(&str, Source); 5] = [
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
    (INTERRUPTS, Source::Counter),
    ("CPU share of the server", Source::Getrusage),
    ("CPU share of empty polls", Source::Harness),
];

/// Quantities that are measured in an open loop, in addition to throughput
/// and latency: the lateness of the load, and the server's work per message.
pub(crate) const AT_A_RATE: [(&str, Source); 4] = [
    ("lateness p99", Source::Histogram),
    ("lateness p99.9", Source::Histogram),
    ("CPU time per message", Source::Getrusage),
    (INTERRUPTS, Source::Counter),
];

/// The load to put on a server: the number of its connections, and its rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) connections: usize,
    /// The rate of an open loop with Poisson arrivals, in requests per
    /// second. For `None`, the load is a closed loop.
    pub(crate) rate: Option<u32>,
}

/// Returns the command that starts the server `arm` on the last core.
///
/// # Errors
///
/// If there are too few cores.
pub(crate) fn command_of(program: &Path, arm: &Arm) -> Result<Command, String> {
    room_for_cores(2)?;
    let all = usable()?;
    Ok(command(program, arm, all[all.len() - 1]))
}

/// Starts the server `arm` on the last core.
///
/// # Errors
///
/// If the server cannot be started here. The error is the reason.
pub(crate) fn start(program: &Path, arm: &Arm) -> Result<Running, String> {
    Running::start(command_of(program, arm)?)
}

/// Measures a server in a closed loop that lasts for `window`.
///
/// # Errors
///
/// If the server or the load fails.
pub(crate) fn closed_loop(
    program: &Path,
    arm: &Arm,
    connections: usize,
    window: Duration,
) -> Result<Measurement, String> {
    let asked = Asked { connections, rate: None };
    let lasts = (window >= WINDOW).then_some(window);
    let mut running = start(program, arm)?;
    let seen = ask(program, &mut running, asked, lasts)?;
    let also = vec![
        cpu_time(&seen),
        seen.a_message(|it| it.voluntary_switches + it.involuntary_switches),
        interrupts(&seen),
        // Assumes that messages come at a steady rate, as they do in all
        // windows here.
        cpu_time(&seen) * seen.achieved() / 1e9,
        seen.empty_polls(),
    ];
    Ok(Measurement { also, ..seen.load().into() })
}

/// Measures a server in an open loop at `rate` requests per second.
///
/// # Errors
///
/// If the server or the load fails, or the server can't keep up.
pub(crate) fn open_loop(
    program: &Path,
    arm: &Arm,
    connections: usize,
    rate: u32,
    window: Duration,
) -> Result<Measurement, String> {
    let asked = Asked { connections, rate: Some(rate) };
    let lasts = (window >= DUE).then_some(window);
    let mut running = start(program, arm)?;
    let seen = ask(program, &mut running, asked, lasts)?;
    let [cpu_time, interrupts] = [cpu_time(&seen), interrupts(&seen)];
    let load = seen.load();
    if lasts.is_some() && load.achieved < CARRIED * f64::from(rate) {
        return Err(format!(
            "{rate} requests a second are more than it can answer: it answered {:.0}",
            load.achieved
        ));
    }
    let late = load.punctuality.as_ref();
    let late = late.ok_or("the load does not say how late it was")?;
    let late = late.lateness_ns.histogram();
    let [p99, p99_9] =
        [0.99, 0.999].map(|share| late.value_at_quantile(share) as f64);
    let also = vec![p99, p99_9, cpu_time, interrupts];
    Ok(Measurement { also, ..load.into() })
}

/// Sends requests to a server for the time `lasts`. If that is `None`, only
/// checks the answers, with two requests per connection.
///
/// # Errors
///
/// If the server or the load fails.
pub(crate) fn ask(
    program: &Path,
    running: &mut Running,
    Asked { connections, rate }: Asked,
    lasts: Option<Duration>,
) -> Result<Observed, String> {
    let (lead_in, end) = match lasts {
        Some(window) => (LEAD_IN, End::After(window)),
        None => (Duration::ZERO, End::Requests(2 * connections as u64)),
    };
    let pace = match rate {
        Some(rate) => Pace::Open {
            rate: rate.into(),
            arrivals: Arrivals::Poisson,
            seed: fastrand::u64(..),
        },
        None => Pace::Closed,
    };
    let settings = Settings {
        connections,
        message_bytes: MESSAGE_BYTES,
        pipeline: IN_FLIGHT,
        pace,
        dealing_seed: fastrand::u64(..),
        // The load spins on a separate core. If it slept, the server would
        // have to pay for waking it.
        spin: true,
        lead_in,
        end,
        ..Settings::of(running.address())
    };
    observe(program, running, &settings)
}

fn cpu_time(seen: &Observed) -> f64 {
    seen.a_message(|it| it.user_cpu_ns + it.system_cpu_ns)
}

fn interrupts(seen: &Observed) -> f64 {
    seen.a_message(|it| it.calls[INTERRUPTS])
}
