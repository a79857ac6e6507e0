//! Experiment `unstable-options`: measures Tokio as in `stuck-driver`, with
//! and without its unstable options. While one task sleeps in the kernel
//! during its poll, how long does another task wait that is ready to run?
//!
//! The options need a special build of Tokio, so Tokio runs in another
//! program, `unstable-tokio`, with and without them.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use harness::{room_for_cores, unstable_build, Cell, Experiment, Measurement};
use measurement::Source;
use nix::time::{clock_getcpuclockid, ClockId};
use nix::unistd::Pid;

use crate::connection::PATIENCE;
use crate::executors::WORKERS;
use crate::stuck_driver::serve::Need;
use crate::stuck_driver::visit::ask;

const WINDOW: Duration = Duration::from_millis(200);

pub(crate) fn experiment() -> Experiment {
    let cells = [
        (Need::Driver, "driver", "enable_eager_driver_handoff"),
        (Need::LifoSlot, "lifo-slot", "disable_lifo_slot"),
    ];
    let cells = cells.into_iter().flat_map(|(need, program, option)| {
        [cell(need, program, "none").twinned(), cell(need, program, option)]
    });
    Experiment::new("unstable-options", "latency p50", CONTENDER).cells(cells)
}

pub(crate) const CONTENDER: &str = "tokio multi-thread";

fn cell(need: Need, program: &'static str, option: &'static str) -> Cell {
    let take = move |window| take(need, [program, option], window);
    Cell::window(CONTENDER, WINDOW, take)
        .also(&[("CPU time per round", Source::Getrusage)])
        .parameter("kernel", need.name())
        .parameter("option", option)
        .parameter("build", "unstable")
        .parameter("workers", WORKERS as i64)
        .group(need.name())
        .needs(|| room_for_cores(WORKERS))
        .needs(|| unstable_build::program().map(drop))
        .time_limit(unstable_build::PATIENCE)
        .full_only()
}

fn take(
    need: Need,
    arguments: [&str; 2],
    length: Duration,
) -> Result<Measurement, String> {
    let mut program = unstable_build::start(arguments)?;
    let address: SocketAddr = program.hear(PATIENCE)?;
    let cannot = |error| format!("asking {address}: {error}");
    // The task of the first connection keeps its worker busy.
    let keeper = connect(address).map_err(cannot)?;
    let other = connect(address).map_err(cannot)?;
    let clock = cpu_clock(program.id())?;
    let before = used(clock)?;
    let measured = ask(&keeper, &other, need, length).map_err(cannot)?;
    let used = used(clock)? - before;
    let per_round = used.as_nanos() as f64 / measured.answered as f64;
    Ok(Measurement { also: vec![per_round], ..measured })
}

fn connect(address: SocketAddr) -> std::io::Result<TcpStream> {
    let connection = TcpStream::connect(address)?;
    connection.set_nodelay(true)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    Ok(connection)
}

/// Returns the CPU-time clock of a process, which covers all of its threads.
pub(crate) fn cpu_clock(process: u32) -> Result<ClockId, String> {
    let clock = clock_getcpuclockid(Pid::from_raw(process as i32));
    clock.map_err(|error| format!("its CPU time: {error}"))
}

pub(crate) fn used(clock: ClockId) -> Result<Duration, String> {
    let time = clock.now().map(Duration::from);
    time.map_err(|error| format!("its CPU time: {error}"))
}
