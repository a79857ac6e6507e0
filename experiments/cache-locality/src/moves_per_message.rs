//! Experiment `moves-per-message`: how often two successive messages on a
//! connection are handled on different workers or cores.

use std::path::Path;
use std::time::Duration;

use harness::{Cell, Experiment};

use crate::counting_server::{EchoRuntime, StateShape};
use crate::load_shape::{LoadShape, CONNECTIONS, MESSAGE_BYTES};
use crate::server_visit::{can_move, visit, TOLD};

const WINDOW: Duration = Duration::from_millis(300);

/// Returns a function that creates the experiment. Its argument is the
/// program that is started as a server.
pub(crate) fn experiment() -> fn(&Path) -> Experiment {
    of_program
}

fn of_program(program: &Path) -> Experiment {
    let cells = LoadShape::ALL.into_iter().flat_map(|load| {
        EchoRuntime::ALL.map(|runtime| cell(program, runtime, load))
    });
    let quantity = "moves per message between workers";
    Experiment::new("moves-per-message", quantity, "ours pinned").cells(cells)
}

fn cell(program: &Path, runtime: EchoRuntime, load: LoadShape) -> Cell {
    let program = program.to_owned();
    let take = move |window| {
        visit(&program, runtime, StateShape::NONE, load, window, WINDOW)
    };
    let cell = Cell::window(runtime.contender(), WINDOW, take)
        .also(&TOLD)
        .parameter("load", load.name())
        .parameter("placement", "shared")
        .parameter("connections", CONNECTIONS as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .needs(can_move);
    let cell = match runtime {
        EchoRuntime::Tokio => cell.twinned(),
        _ => cell,
    };
    match load {
        LoadShape::ClosedLoop => cell,
        _ => cell.in_sweep().full_only(),
    }
}
