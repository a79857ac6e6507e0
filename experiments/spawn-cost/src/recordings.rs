//! Experiment `recordings`: one operation, step by step, as the kernel and
//! the program see it. Only `cargo run -r -p spawn-cost -- --record` runs it.

use harness::Experiment;
use runtimes::std_thread;

mod driver_poll;
mod first_core;
mod pool_job;
mod sleep;
mod task_life;
mod thread_life;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("recordings", "time per unit", std_thread::NAME)
        .cell(thread_life::the_cell())
        .cells(task_life::cells())
        .cell(task_life::blocking())
        .cell(pool_job::the_cell())
        .cell(driver_poll::the_cell())
        .cells(sleep::cells())
}
