//! Experiment `recordings`: one operation, step by step, as the kernel and the
//! program see it: `cargo run -r -p spawn-cost -- --record`. Runs do not measure
//! these cells.

use harness::Experiment;
use runtimes::std_thread;

mod sleep;
mod task_life;
mod thread_life;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("recordings", "time per unit", std_thread::NAME)
        .cells(thread_life::cells())
        .cells(task_life::cells())
        .cell(task_life::blocking())
        .cells(sleep::cells())
}
