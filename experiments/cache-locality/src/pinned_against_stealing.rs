//! Experiment `pinned-against-stealing`: our executor with two scheduling
//! policies. Every message reads and writes the state of its connection. Only
//! the policy differs, so the effect of a larger state is the cost of
//! fetching it from another core's cache.

use std::path::Path;
use std::time::Duration;

use harness::{Cell, Experiment};

use crate::counting_server::{EchoRuntime, StateShape};
use crate::load_shape::{LoadShape, CONNECTIONS, MESSAGE_BYTES};
use crate::server_visit::{can_move, visit, TOLD};
use crate::touch::Access;

const WINDOW: Duration = Duration::from_millis(400);

/// The sizes of the state in bytes; 0 means no state. The lines are touched
/// in a computed order, so no load waits for another.
const INDEPENDENT: [usize; 7] =
    [0, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];
/// The sizes of the state in bytes. Each cache line holds the index of the
/// next one, so each load depends on the previous one.
const DEPENDENT: [usize; 2] = [4 << 10, 64 << 10];

const QUICK: StateShape =
    StateShape { bytes: 16 << 10, access: Access::Independent };

/// Returns a function that creates the experiment. Its argument is the
/// program that is started as a server.
pub(crate) fn experiment() -> fn(&Path) -> Experiment {
    of_program
}

fn of_program(program: &Path) -> Experiment {
    let of = |access| move |bytes| StateShape { bytes, access };
    let independent = INDEPENDENT.into_iter().map(of(Access::Independent));
    let dependent = DEPENDENT.into_iter().map(of(Access::Dependent));
    let cells = independent.chain(dependent).flat_map(|state| {
        [EchoRuntime::OursPinned, EchoRuntime::OursStealing]
            .map(|runtime| cell(program, runtime, state))
    });
    Experiment::new("pinned-against-stealing", "throughput", "ours pinned")
        .cells(cells)
}

fn cell(program: &Path, runtime: EchoRuntime, state: StateShape) -> Cell {
    let program = program.to_owned();
    let load = LoadShape::ClosedLoop;
    let take =
        move |window| visit(&program, runtime, state, load, window, WINDOW);
    let cell = Cell::window(runtime.contender(), WINDOW, take)
        .also(&TOLD)
        .parameter("state_bytes", state.bytes as i64)
        .parameter("access", state.access.name())
        .parameter("placement", "shared")
        .parameter("connections", CONNECTIONS as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .needs(can_move);
    if state == QUICK {
        cell
    } else {
        cell.full_only()
    }
}
