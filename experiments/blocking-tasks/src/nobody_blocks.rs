//! Experiment `nobody-blocks`: what Tokio's unstable options against stuck
//! workers cost while no worker is stuck.
//!
//! As in `unstable-options`, Tokio runs in another program, `unstable-tokio`,
//! in which all options come from one build. For each kernel, the
//! measurements start from a runtime with no option.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use harness::{room_for_cores, unstable_build, Cell, Experiment, Measurement};
use measurement::Source;
use thread_per_core::load::{self, Arrivals, End, Pace, Settings};

use crate::connection::PATIENCE;
use crate::executors::WORKERS;
use crate::unstable_options::{cpu_clock, used, CONTENDER};

const WINDOW: Duration = Duration::from_millis(250);

const NONE: &str = "none";
const OPTIONS: [&str; 4] =
    [NONE, "enable_eager_driver_handoff", "disable_lifo_slot", "both"];

const KERNELS: [Kernel; 5] = [
    Kernel {
        name: "light load",
        asked: Asked::Echo { connections: 1, rate: Some(1_000.0) },
    },
    Kernel {
        name: "half load",
        asked: Asked::Echo { connections: 50, rate: Some(60_000.0) },
    },
    Kernel {
        name: "full load",
        asked: Asked::Echo { connections: 50, rate: None },
    },
    Kernel {
        name: "message",
        asked: Asked::Operations { program: "message", times: 1_000 },
    },
    Kernel {
        name: "spawn",
        asked: Asked::Operations { program: "spawn", times: 1_000 },
    },
];

#[derive(Clone, Copy)]
struct Kernel {
    name: &'static str,
    asked: Asked,
}

#[derive(Clone, Copy)]
enum Asked {
    /// Echoes messages on `connections` connections, at `rate` messages per
    /// second at random times. If `rate` is `None`, each connection sends its
    /// next message as soon as the previous one has come back.
    Echo { connections: usize, rate: Option<f64> },
    /// Repeats an operation that sends `times` messages, or spawns `times`
    /// tasks.
    Operations { program: &'static str, times: u64 },
}

pub(crate) fn experiment() -> Experiment {
    let cells = KERNELS.into_iter().flat_map(|kernel| {
        OPTIONS.map(|option| {
            let cell = cell(kernel, option);
            if option == NONE {
                cell.twinned()
            } else {
                cell
            }
        })
    });
    Experiment::new("nobody-blocks", "throughput", CONTENDER).cells(cells)
}

fn cell(Kernel { name, asked }: Kernel, option: &'static str) -> Cell {
    let take = move |window| match asked {
        Asked::Echo { connections, rate } => {
            echo(connections, rate, option, window)
        }
        Asked::Operations { program, times } => {
            operations(program, times, option, window)
        }
    };
    let also: &[_] = match asked {
        Asked::Echo { rate: None, .. } => {
            &[("CPU time per request", Source::Getrusage)]
        }
        Asked::Echo { rate: Some(_), .. } => &[
            ("CPU time per request", Source::Getrusage),
            ("latency p50", Source::Histogram),
        ],
        Asked::Operations { .. } => &[
            ("CPU time per operation", Source::Getrusage),
            ("time per operation", Source::Harness),
        ],
    };
    Cell::window(CONTENDER, WINDOW, take)
        .also(also)
        .parameter("kernel", name)
        .parameter("option", option)
        .parameter("build", "unstable")
        .parameter("workers", WORKERS as i64)
        .group(name)
        .needs(|| room_for_cores(WORKERS))
        .needs(|| unstable_build::program().map(drop))
        .time_limit(unstable_build::PATIENCE)
        .full_only()
}

/// Measures the program while it echoes messages from thread-per-core's load
/// generator.
///
/// # Errors
///
/// If the program cannot be started, or its answers were wrong.
fn echo(
    connections: usize,
    rate: Option<f64>,
    option: &str,
    window: Duration,
) -> Result<Measurement, String> {
    let mut program = unstable_build::start(["uncounted-echo", option])?;
    let address: SocketAddr = program.hear(PATIENCE)?;
    let clock = cpu_clock(program.id())?;
    let arrivals = Arrivals::Poisson;
    let settings = Settings {
        connections,
        pace: rate.map_or(Pace::Closed, |rate| {
            let seed = fastrand::u64(..);
            Pace::Open { rate, arrivals, seed }
        }),
        lead_in: Duration::ZERO,
        // A short measurement only checks the answers, and two messages per
        // connection are enough for that.
        end: if window < WINDOW {
            End::Requests(2 * connections as u64)
        } else {
            End::After(window)
        },
        ..Settings::of(address)
    };
    // The CPU time covers the period from when all connections exist until
    // all requests are answered.
    let mut before = Ok(Duration::ZERO);
    let report = load::run_announced(&settings, || before = used(clock));
    let after = used(clock)?;
    let report = report.map_err(|error| format!("the load: {error}"))?;
    let refused = report.connections.refused;
    let measured = Measurement::from(report);
    if refused + measured.errors > 0 {
        return Err(format!(
            "{refused} connections were refused, {} requests got no right answer",
            measured.errors
        ));
    }
    let cpu_time = (after - before?).as_nanos() as f64;
    // Keeps only the median, and drops the histograms.
    let median = measured.latencies.as_ref();
    let median = median.map(|all| all.value_at_quantile(0.5) as f64);
    let also = [cpu_time / measured.answered as f64];
    let also = also.into_iter().chain(median).collect();
    Ok(Measurement { also, latencies: None, ..measured })
}

/// Measures the program while it repeats an operation that takes a
/// millisecond or less. The CPU time includes the program's handling of the
/// request.
///
/// # Errors
///
/// If the program cannot be started, or its answers were wrong.
fn operations(
    argument: &str,
    times: u64,
    option: &str,
    window: Duration,
) -> Result<Measurement, String> {
    let mut program = unstable_build::start([argument, option])?;
    let clock = cpu_clock(program.id())?;
    let mut operation = || {
        let said: (u64, u64) = program.ask(&(), PATIENCE)?;
        match said {
            (nanoseconds, right) if right == times => {
                Ok(Duration::from_nanos(nanoseconds))
            }
            (_, right) => Err(format!("{right} of {times} were right")),
        }
    };
    operation()?;
    let before = used(clock)?;
    let begin = Instant::now();
    let (mut done, mut elapsed) = (0, Duration::ZERO);
    while begin.elapsed() < window {
        elapsed += operation()?;
        done += times;
    }
    let each = |all: Duration| all.as_nanos() as f64 / done as f64;
    let also = vec![each(used(clock)? - before), each(elapsed)];
    Ok(Measurement { answered: done, elapsed, also, ..Measurement::default() })
}
