//! One visit: a server and a load, each a process of its own, for a window of time.

use std::path::Path;
use std::sync::mpsc;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use harness::Measurement;
use host::cores::{pin_this_thread, room_for_cores, usable};
use measurement::Source;
use thread_per_core::load::{
    run_announced, Arrivals, End, Pace, Report as Load, Settings,
};
use thread_per_core::serve::{Report, Running};

use crate::arm::Arm;
use crate::interrupts::INTERRUPTS;
use crate::process::command;

/// The centre of Thread per core.
pub(crate) const CONNECTIONS: usize = 100;
pub(crate) const MESSAGE_BYTES: usize = 64;
pub(crate) const IN_FLIGHT: usize = 1;

/// How long answers are counted in a closed loop.
pub(crate) const WINDOW: Duration = Duration::from_secs(1);

/// For how long an open loop's requests are due.
pub(crate) const DUE: Duration = Duration::from_millis(400);

/// How long a server is asked before anything is counted.
const LEAD_IN: Duration = Duration::from_millis(200);

/// So long after the window has begun, and before it ends, the server is asked what it
/// has used: who asks may be late, and is still within it.
const MARGIN: Duration = Duration::from_millis(25);

/// A server that answers fewer than this share of a rate is overloaded: how long
/// requests wait then depends on when the window ends.
const CARRIED: f64 = 0.75;

/// What a closed loop tells beside its throughput.
pub(crate) const QUANTITIES: [(&str, Source); 4] = [
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
    (INTERRUPTS, Source::Counter),
    ("CPU share of empty polls", Source::Harness),
];

/// What an open loop tells beside throughput and latency: how late it was itself, and
/// what the server did for a message at that rate.
pub(crate) const AT_A_RATE: [(&str, Source); 4] = [
    ("lateness p99", Source::Histogram),
    ("lateness p99.9", Source::Histogram),
    ("CPU time per message", Source::Getrusage),
    (INTERRUPTS, Source::Counter),
];

/// Starts the server on the last core.
///
/// # Errors
///
/// If it cannot be started here, with the reason.
pub(crate) fn start(program: &Path, arm: &Arm) -> Result<Running, String> {
    room_for_cores(2)?;
    let all = usable()?;
    Running::start(command(program, arm, all[all.len() - 1]))
}

/// What a closed loop gets from the server in the window.
///
/// # Errors
///
/// What is wrong with the server or the load.
pub(crate) fn closed_loop(
    program: &Path,
    arm: &Arm,
    window: Duration,
) -> Result<Measurement, String> {
    let mut running = start(program, arm)?;
    let settings = settings(&running, window < WINDOW, window);
    let seen = observe(&mut running, &settings)?;
    let also = vec![
        seen.cpu_time(),
        seen.a_message(|it| it.voluntary_switches + it.involuntary_switches),
        seen.interrupts(),
        seen.load.cpu.empty_polls,
    ];
    Ok(Measurement { also, ..seen.load.into() })
}

/// What an open loop with Poisson arrivals finds of the server.
///
/// # Errors
///
/// What is wrong with the server or the load; or it cannot answer so many.
pub(crate) fn open_loop(
    program: &Path,
    arm: &Arm,
    rate: u32,
    window: Duration,
) -> Result<Measurement, String> {
    let mut running = start(program, arm)?;
    let is_check = window < DUE;
    let rate = f64::from(rate);
    let (arrivals, seed) = (Arrivals::Poisson, fastrand::u64(..));
    let settings = Settings {
        pace: Pace::Open { rate, arrivals, seed },
        ..settings(&running, is_check, window)
    };
    let seen = observe(&mut running, &settings)?;
    let [cpu_time, interrupts] = [seen.cpu_time(), seen.interrupts()];
    let load = seen.load;
    if !is_check && load.achieved < CARRIED * rate {
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

/// The load of a closed loop. When only answers are checked, each connection asks as
/// long as that takes.
fn settings(running: &Running, is_check: bool, window: Duration) -> Settings {
    let (lead_in, end) = if is_check {
        (Duration::ZERO, End::Requests(2 * CONNECTIONS as u64))
    } else {
        (LEAD_IN, End::After(window))
    };
    Settings {
        connections: CONNECTIONS,
        message_bytes: MESSAGE_BYTES,
        pipeline: IN_FLIGHT,
        dealing_seed: fastrand::u64(..),
        // On a core of its own: else the server would pay for waking it.
        spin: true,
        lead_in,
        end,
        ..Settings::of(running.address())
    }
}

/// What was seen of a window: the server's reports, near its beginning and near its
/// end, and the load's of all of it.
struct Seen {
    before: Report,
    after: Report,
    load: Load,
}

impl Seen {
    /// In nanoseconds a message.
    fn cpu_time(&self) -> f64 {
        self.a_message(|it| it.user_cpu_ns + it.system_cpu_ns)
    }

    fn interrupts(&self) -> f64 {
        self.a_message(|it| it.calls[INTERRUPTS])
    }

    /// How much more of something there was at the second report than at the first,
    /// a message.
    fn a_message(&self, of: impl Fn(&Report) -> u64) -> f64 {
        let more = (of(&self.after) - of(&self.before)) as f64;
        let seconds = (self.after.at_ns - self.before.at_ns) as f64 / 1e9;
        more / seconds / self.load.achieved
    }
}

/// Runs a load on the first core, and asks the server meanwhile.
///
/// # Errors
///
/// What is wrong with the server or the load.
fn observe(running: &mut Running, settings: &Settings) -> Result<Seen, String> {
    let (says, connected) = mpsc::channel();
    thread::scope(|scope| {
        let load = scope.spawn(move || {
            pin_this_thread(0)?;
            let announce =
                move || says.send(Instant::now()).unwrap_or_default();
            run_announced(settings, announce).map_err(|e| e.to_string())
        });
        let reports = connected.recv().map(|at| {
            let begins = at + settings.lead_in;
            let (first, last) = match settings.end {
                End::After(window) => (MARGIN, window - MARGIN),
                End::Requests(_) => (Duration::ZERO, Duration::ZERO),
            };
            let first = report_at(begins + first, running)?;
            Ok::<_, String>((first, report_at(begins + last, running)?))
        });
        let load = load.join().expect("a load does not panic");
        let load = load.map_err(|reason| format!("the load: {reason}"))?;
        let (before, after) = reports.map_err(|e| e.to_string())??;
        is_answered(&load)?;
        Ok(Seen { before, after, load })
    })
}

/// The server's report of an instant.
fn report_at(at: Instant, running: &mut Running) -> Result<Report, String> {
    sleep(at.saturating_duration_since(Instant::now()));
    running.report()
}

/// # Errors
///
/// What was not answered rightly, if anything.
fn is_answered(load: &Load) -> Result<(), String> {
    let connections = &load.connections;
    if load.errors + load.unanswered + connections.refused == 0 {
        return Ok(());
    }
    let reason = connections.reason.as_deref().unwrap_or(
        "no connection broke: server or load stood still for a second",
    );
    Err(format!(
        "{} of {} connections were made, {} answers were wrong, {} were lost, {} did \
         not come: {reason}",
        connections.made,
        connections.made + connections.refused,
        load.wrong,
        load.lost,
        load.unanswered
    ))
}
