//! Experiment `references`: how often an echo server's code reads or writes
//! memory per message, and how often the first-level cache misses.
//!
//! Two tools count. Cachegrind runs the server on a simulated processor, one
//! thread at a time, and counts every read and write of its code; the
//! difference between two servers with different numbers of messages excludes
//! their start and end. The processor's own counters count the reads of the
//! running server, and the misses. Neither counts the kernel.

use std::path::Path;

use harness::{raise_file_limit, room_for_files, Cell, Experiment};
use measurement::Source;
use thread_per_core::serve::{find, Server};

use crate::load_shape::MESSAGE_BYTES;

mod cachegrind;
mod hardware;
mod simulated;

pub use cachegrind::has_valgrind;

/// The servers to measure at each number of connections: those of the
/// published comparison, and a control that the comparison doesn't have.
const COMPARED: [&str; 3] =
    ["tokio multi-thread", "tokio current_thread", "monoio epoll"];
/// The servers to measure only with [`MOST`] connections. None of them use
/// io_uring, since servers that do hang under valgrind 3.19.
const BESIDE: [&str; 4] =
    ["baseline, epoll", "smol", "ours pinned", "ours stealing"];
/// The servers measured with the processor's counters too, with [`MOST`]
/// connections.
const BY_HARDWARE: [&str; 2] = ["tokio multi-thread", "monoio epoll"];
const CONNECTIONS: [usize; 3] = [1, 10, MOST];
/// The number of connections in the published comparison.
const MOST: usize = 100;

/// The reason why an unoptimised build doesn't run cachegrind.
const UNOPTIMISED: &str = "references are those of optimised code: --release";

const QUICK: [&str; 1] = ["tokio multi-thread"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CountedBy {
    Cachegrind,
    Hardware,
}

/// Returns a function that creates the experiment. Its argument is the
/// program that is started as a server.
pub(crate) fn experiment() -> fn(&Path) -> Experiment {
    of_program
}

/// Measures each server by cachegrind, and two of them also by the
/// processor's counters.
fn of_program(program: &Path) -> Experiment {
    let settings = CONNECTIONS.into_iter().flat_map(|connections| {
        let beside = BESIDE.into_iter().filter(move |_| connections == MOST);
        let servers = COMPARED.into_iter().chain(beside);
        servers.map(move |name| (name, connections))
    });
    let by_cachegrind =
        settings.map(|(name, of)| (name, of, CountedBy::Cachegrind));
    let by_hardware = BY_HARDWARE.map(|name| (name, MOST, CountedBy::Hardware));
    let cells =
        by_cachegrind.chain(by_hardware).map(|(name, connections, by)| {
            let server = find(name).expect("there are such servers");
            cell(program, server, connections, by)
        });
    let quantity = "memory references per message";
    Experiment::new("references", quantity, "baseline").cells(cells)
}

/// Returns the number of memory reads and writes per message of one of
/// thread-per-core's echo servers, as counted by cachegrind. `program` is
/// this chapter's program.
///
/// # Errors
///
/// If there is no such server or no valgrind, or the server failed to run.
pub fn by_cachegrind(
    program: &Path,
    server: &str,
    connections: usize,
) -> Result<f64, String> {
    has_valgrind()?;
    simulated::count(program, find(server)?, connections)
}

fn cell(
    program: &Path,
    server: &'static Server,
    connections: usize,
    by: CountedBy,
) -> Cell {
    let references = "memory references per message";
    let misses = "cache misses per message";
    let program = program.to_owned();
    let cell = match by {
        CountedBy::Cachegrind => Cell::readings(
            server.contender,
            Source::Cachegrind,
            &[references],
            move || {
                simulated::count(&program, server, connections)
                    .map(|references| vec![references])
            },
        )
        .needs(|| {
            if cfg!(debug_assertions) {
                Err(UNOPTIMISED.to_owned())
            } else {
                has_valgrind()
            }
        }),
        CountedBy::Hardware => Cell::readings(
            server.contender,
            Source::Hardware,
            &[references, misses],
            move || hardware::count(&program, server, connections),
        )
        .needs(hardware::can_count),
    };
    let counted_by = match by {
        CountedBy::Cachegrind => "cachegrind",
        CountedBy::Hardware => "hardware",
    };
    let cell = cell
        .parameter("interface", server.interface.name())
        .parameter("runtimes", server.runtimes.name())
        .parameter("placement", "shared")
        .parameter("connections", connections as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .parameter("counted_by", counted_by)
        .needs(move || {
            raise_file_limit();
            room_for_files(2 * connections as u64)
        });
    if connections == MOST && QUICK.contains(&&*server.name()) {
        cell
    } else {
        cell.full_only()
    }
}
