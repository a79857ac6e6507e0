//! Experiment `under-count`: whether a switch, a spawn, a timer or polling
//! sockets takes longer while many threads or tasks wait.

use harness::{
    room_for_files, room_for_threads, Body, Cell, Experiment, Placement,
};
use runtimes::std_thread;
use runtimes::tokio::CURRENT_THREAD;

use tasks::{Kernel, Waiting};

mod tasks;
mod threads;

const QUANTITY: &str = "time per operation";

/// The number of tasks that wait at a gate or for a timer.
const TASKS: u64 = 100_000;

/// The number of tasks. Each of them waits for a socket.
const SOCKETS: u64 = 10_000;

/// The number of threads that wait.
const THREADS: u64 = 10_000;

/// Returns the experiment. Everything runs on one core, so no other core has
/// to be woken.
pub(crate) fn experiment() -> Experiment {
    let of_tasks = [
        (Kernel::Switch, TASKS),
        (Kernel::Spawn, TASKS),
        (Kernel::Timer, TASKS),
        (Kernel::Sockets, SOCKETS),
    ];
    let tasks = of_tasks.into_iter().flat_map(|(kernel, most)| {
        [0, most].map(|waiting| task(kernel, waiting))
    });
    let threads = [
        ("switch", threads::switch as fn(u64) -> Body),
        ("spawn", threads::spawn),
    ];
    let threads = threads.into_iter().flat_map(|(kernel, body)| {
        [0, THREADS].map(|waiting| {
            cell(std_thread::NAME, kernel, waiting, body(waiting))
                .needs(move || room_for_threads(waiting))
                .full_only()
                .in_sweep()
        })
    });
    Experiment::new("under-count", QUANTITY, CURRENT_THREAD.name())
        .cells(tasks)
        .cells(threads)
}

fn task(kernel: Kernel, waiting: u64) -> Cell {
    let body = Body::task_with(
        CURRENT_THREAD,
        move || Waiting::start(kernel, waiting),
        Waiting::operate,
        Waiting::end,
    );
    let cell = cell(CURRENT_THREAD.name(), kernel.name(), waiting, body);
    match kernel {
        Kernel::Spawn => cell,
        Kernel::Switch => cell.full_only(),
        // Setting up timers takes longest, so their benchmarks are measured
        // least often.
        Kernel::Timer => cell.full_only().in_sweep(),
        Kernel::Sockets => {
            cell.full_only().needs(move || room_for_files(waiting))
        }
    }
}

/// Returns a benchmark with `waiting` threads or tasks that wait. It is
/// measured in alternation with the benchmark in which none wait.
fn cell(contender: &str, kernel: &str, waiting: u64, body: Body) -> Cell {
    let cell = Cell::new(contender, 1, body)
        .parameter("kernel", kernel)
        .parameter("waiting", waiting as i64)
        .placement(Placement::OneCore)
        .group(&format!("{contender} {kernel}"));
    if waiting == 0 {
        cell.twinned()
    } else {
        cell
    }
}
