//! An echo server whose tasks count how often they move to another worker or
//! core. A task may have a state that each message reads and writes. The
//! server is a separate process, so that its CPU time is measured separately;
//! [`command`] starts it.

use std::path::Path;
use std::process::Command;

mod arguments;
mod connection_task;
mod move_counts;
mod serve;
mod server_report;
mod touched_state;

pub(crate) use arguments::main;
pub(crate) use move_counts::{BETWEEN_CORES, BETWEEN_WORKERS, BYTES};
pub(crate) use serve::EchoRuntime;
pub(crate) use touched_state::StateShape;

/// The first argument that makes this chapter's program a counting server.
pub(crate) const COMMAND: &str = "count-moves";

/// Returns the command that starts a server with `workers` workers on all
/// cores that this process may use. It runs this chapter's program with the
/// server's arguments.
pub(crate) fn command(
    program: &Path,
    runtime: EchoRuntime,
    workers: usize,
    state: StateShape,
) -> Command {
    let mut command = Command::new(program);
    command
        .args([COMMAND, runtime.contender()])
        .args(["--workers", &workers.to_string()])
        .args(["--state-bytes", &state.bytes.to_string()])
        .args(["--access", state.access.name()]);
    command
}
