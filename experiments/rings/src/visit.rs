//! One visit: a server in a process on the last core, and a load in another
//! process on the first core, for a window of time.

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

/// The number of connections at the centre, as in Thread per core.
pub(crate) const CONNECTIONS: usize = 100;
pub(crate) const MESSAGE_BYTES: usize = 64;
pub(crate) const IN_FLIGHT: usize = 1;

/// How long a closed loop counts answers.
pub(crate) const WINDOW: Duration = Duration::from_secs(1);

/// How long the requests of an open loop are due.
pub(crate) const DUE: Duration = Duration::from_millis(400);

/// The duration of the lead-in, in which nothing is counted.
const LEAD_IN: Duration = Duration::from_millis(200);

/// The share of a rate that a server must answer. With less, the server is
/// overloaded: the latency then depends on when the window ends.
const CARRIED: f64 = 0.75;

/// Further figures of a closed loop, in addition to throughput. If neither
/// the server nor the load is busy all the time, the throughput is the
/// capacity of neither.
pub(crate) const QUANTITIES: [(&str, Source); 5] = [
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
    (INTERRUPTS, Source::Counter),
    ("CPU share of the server", Source::Getrusage),
    ("CPU share of empty polls", Source::Harness),
];

/// Further figures of an open loop, in addition to throughput and latency:
/// the lateness of the load, and the server's work per message at that rate.
pub(crate) const AT_A_RATE: [(&str, Source); 4] = [
    ("lateness p99", Source::Histogram),
    ("lateness p99.9", Source::Histogram),
    ("CPU time per message", Source::Getrusage),
    (INTERRUPTS, Source::Counter),
];

/// The load to put on a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) connections: usize,
    /// Requests per second of an open loop with Poisson arrivals; `None` is a
    /// closed loop.
    pub(crate) rate: Option<u32>,
}

/// Returns the command for a server on the last core.
///
/// # Errors
///
/// If there are too few cores.
pub(crate) fn command_of(program: &Path, arm: &Arm) -> Result<Command, String> {
    room_for_cores(2)?;
    let all = usable()?;
    Ok(command(program, arm, all[all.len() - 1]))
}

/// Starts the server.
///
/// # Errors
///
/// If the server cannot be started here, with the reason.
pub(crate) fn start(program: &Path, arm: &Arm) -> Result<Running, String> {
    Running::start(command_of(program, arm)?)
}

/// Measures a server in a closed loop for the window.
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
        // This holds if messages come steadily, as they do in all windows
        // here.
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

/// Sends a server requests for the time `lasts`. With `None`, goes on until
/// each connection has checked its answers.
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
        // The load spins on a separate core: otherwise, the server would pay
        // for waking it.
        spin: true,
        lead_in,
        end,
        ..Settings::of(running.address())
    };
    observe(program, running, &settings)
}

/// Returns the server's CPU time per message, in nanoseconds.
fn cpu_time(seen: &Observed) -> f64 {
    seen.a_message(|it| it.user_cpu_ns + it.system_cpu_ns)
}

fn interrupts(seen: &Observed) -> f64 {
    seen.a_message(|it| it.calls[INTERRUPTS])
}
