//! Experiment `as-used`: io_uring as its users run it. Measures what is saved
//! by multishot receives, by buffers that the ring provides, and by a kernel
//! thread that polls for requests (`SQPOLL`).
//!
//! The central setting is that of the chapter Thread per core in which the
//! server has a core to itself: a closed loop, and 50,000 requests per
//! second. compio has the set-up that its documentation advises, and the bare
//! loop has deferred completions unless stated otherwise.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{Cell, Experiment, Measurement};
use host::cores::{room_for_cores, usable};
use measurement::Source;
use thread_per_core::serve::Running;
use thread_per_core::server_process;

mod servers;

use crate::visit::{ask, Asked, CONNECTIONS, DUE, IN_FLIGHT, MESSAGE_BYTES};
pub use servers::{Server, SERVERS};

/// The first command-line argument that makes this chapter's program run one
/// of this experiment's servers.
pub(crate) const CALLED: &str = "as-used";

const RATE: u32 = 50_000;

/// Quantities that are measured in addition to throughput. The CPU time is
/// that of the server's process, including the kernel thread that works for
/// its ring.
const TOLD: [(&str, Source); 4] = [
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
    ("CPU share of the server", Source::Getrusage),
    ("CPU share of empty polls", Source::Harness),
];

pub(crate) fn experiment(program: &Path) -> Experiment {
    let paces = [None, Some(RATE)];
    let cells = paces.into_iter().flat_map(|rate| {
        SERVERS.iter().map(move |server| cell(program, server, rate))
    });
    Experiment::new("as-used", "throughput", "baseline").cells(cells)
}

fn cell(program: &Path, server: &'static Server, rate: Option<u32>) -> Cell {
    let pace = rate
        .map_or("closed loop".to_owned(), |rate| format!("{rate} per second"));
    let path = program.to_owned();
    let take = move |window| visit(&path, server, rate, window);
    let path = program.to_owned();
    let cell = Cell::window(server.contender, DUE, take)
        .also(&TOLD)
        .parameter("receives", server.receives)
        .parameter("ring", server.ring)
        .parameter("pace", pace.as_str())
        .parameter("placement", "apart")
        .parameter("connections", CONNECTIONS as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .parameter("in_flight", IN_FLIGHT as i64)
        .group(&pace)
        .in_sweep()
        .needs(move || start(&path, server).map(drop));
    let cell = if server.is_reference() { cell.twinned() } else { cell };
    if server.contender == "compio" && rate.is_none() {
        cell
    } else {
        cell.full_only()
    }
}

/// Returns the command that starts `server` on the last core.
///
/// # Errors
///
/// If there are too few cores.
pub fn command(program: &Path, server: &Server) -> Result<Command, String> {
    room_for_cores(2)?;
    let all = usable()?;
    let on = [all[all.len() - 1]];
    Ok(server_process::command(program, CALLED, server, &on))
}

fn start(program: &Path, server: &Server) -> Result<Running, String> {
    Running::start(command(program, server)?)
}

fn visit(
    program: &Path,
    server: &Server,
    rate: Option<u32>,
    window: Duration,
) -> Result<Measurement, String> {
    let asked = Asked { connections: CONNECTIONS, rate };
    let lasts = (window >= DUE).then_some(window);
    let mut running = start(program, server)?;
    let seen = ask(program, &mut running, asked, lasts)?;
    let cpu = seen.a_message(|it| it.user_cpu_ns + it.system_cpu_ns);
    let also = vec![
        cpu,
        seen.a_message(|it| it.voluntary_switches + it.involuntary_switches),
        cpu * seen.achieved() / 1e9,
        seen.empty_polls(),
    ];
    Ok(Measurement { also, ..seen.load().into() })
}
