//! Experiment `recordings`: one operation, step by step, as seen by the
//! kernel and the program. `cargo run -r -p context-switches -- --record`
//! records it; ordinary runs leave it out.

use harness::Experiment;
use runtimes::std_thread;

mod contended_mutex;
mod echo_turn;
mod line_hop;
pub(crate) mod pipe_hop;
mod preempted_writer;
mod recorded_pair;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("recordings", "time per operation", std_thread::NAME)
        .cells(pipe_hop::cells())
        .cells(line_hop::cells())
        .cell(preempted_writer::the_cell())
        .cells(contended_mutex::cells())
        .cells(echo_turn::cells())
}
