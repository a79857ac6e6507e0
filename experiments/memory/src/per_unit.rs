//! Experiments `per-unit` and `stacks`: the memory that an idle thread or
//! task adds to its process. It is computed as the slope of a line through
//! processes with different numbers of them.

use std::path::Path;

use harness::{room_for_threads, Cell, Experiment};
use host::memory::MemoryGroup;
use measurement::Source;
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};

use crate::line;
use crate::report::Report;
use crate::wanted_units::{Units, DEFAULT_STACK, STATES};

/// The state that a thread or task holds in quick runs, in bytes.
const SMALL: u64 = STATES[0];

/// The sizes of the states that a thread or task holds in the experiment
/// `per-unit`, in bytes.
const HELD: [u64; 4] = [SMALL, STATES[1], STATES[2], STATES[3]];

/// The sizes of threads' stacks in the experiment `stacks`, in bytes: a small
/// one, `std`'s default, and that of a process's first thread.
const STACKS: [u64; 3] = [64 << 10, DEFAULT_STACK, 8 << 20];

/// How many bytes of a stack are used in the experiment `stacks`.
const USED: [u64; 2] = [STATES[1], STATES[4]];

/// The difference between successive numbers of threads, of which five are
/// measured. It is small, so that a test can run where only a few thousand
/// threads are allowed.
const THREADS: u64 = 100;

/// The maximum number of bytes that all tasks of a process may hold together:
/// 20 MiB, or 2 MiB in an unoptimised build, which only checks answers.
const MOST_HELD: u64 = if cfg!(debug_assertions) { 2 << 20 } else { 20 << 20 };

/// Resident memory, which is measured for every contender.
pub(crate) const RESIDENT: Figure = Figure {
    quantity: "resident memory per unit",
    of: |report| Ok(report.resident_bytes),
};

/// Quantities that are large enough to measure only for threads.
const OF_THREADS: [Figure; 2] = [
    Figure {
        quantity: "virtual memory per unit",
        of: |report| Ok(report.virtual_bytes),
    },
    Figure {
        quantity: "page tables per unit",
        of: |report| Ok(report.page_table_bytes),
    },
];

/// A quantity to measure, and the function that reads it from a process's
/// report.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) quantity: &'static str,
    of: fn(&Report) -> Result<u64, String>,
}

/// Returns experiment `per-unit`, which measures every contender with states
/// of several sizes.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let tasks = [
        MULTI_THREAD.name(),
        CURRENT_THREAD.name(),
        SMOL.name(),
        GLOMMIO.name(),
        EPOLL.name(),
        IO_URING.name(),
        COMPIO.name(),
    ];
    let cells = HELD.into_iter().flat_map(|state| {
        let units = |contender| Units::new(contender, 0, state);
        let threads = units(std_thread::NAME);
        let mut cells = vec![cell(program, &threads, RESIDENT)];
        // With larger states, one runtime is enough to show the effect on
        // tasks.
        let tasks = if state == SMALL { &tasks[..] } else { &tasks[..1] };
        let task = |&name| cell(program, &units(name), RESIDENT);
        cells.extend(tasks.iter().map(task));
        if state == SMALL {
            cells.extend(
                OF_THREADS.map(|figure| cell(program, &threads, figure)),
            );
            cells.push(kernel_side(program, &threads));
        } else {
            cells = cells.into_iter().map(Cell::full_only).collect();
        }
        cells
            .into_iter()
            .map(move |cell| cell.parameter("state_bytes", state as i64))
    });
    Experiment::new("per-unit", RESIDENT.quantity, std_thread::NAME)
        .cells(cells)
}

/// Returns experiment `stacks`, which measures threads with stacks of several
/// sizes. Different parts of the stacks are used.
pub(crate) fn stacks(program: &Path) -> Experiment {
    let settings = STACKS
        .into_iter()
        .flat_map(|stack| USED.into_iter().map(move |used| (stack, used)));
    let cells = settings.flat_map(|(stack_bytes, used)| {
        let threads = Units::new(std_thread::NAME, 0, used);
        let threads = Units { stack_bytes, ..threads };
        let cell = |figure| {
            cell(program, &threads, figure)
                .parameter("stack_bytes", stack_bytes as i64)
                .parameter("state_bytes", used as i64)
                .full_only()
                // All stacks in a group have the same used part, so that the
                // group compares stack sizes.
                .group(&format!("state_bytes={used}"))
        };
        // The mapped memory doesn't depend on the used part of a stack.
        let mapped = (used == USED[0]).then(|| cell(OF_THREADS[0]));
        [cell(RESIDENT)].into_iter().chain(mapped)
    });
    Experiment::new("stacks", RESIDENT.quantity, std_thread::NAME).cells(cells)
}

/// Returns the benchmark of a quantity that the kernel reports for a process.
pub(crate) fn cell(program: &Path, units: &Units, figure: Figure) -> Cell {
    let (program, of) = (program.to_owned(), units.clone());
    fitted(units, figure.quantity, move || points(&program, &of, figure.of))
}

/// Returns the benchmark of the kernel memory that threads take, as reported
/// for the process's control group.
fn kernel_side(program: &Path, threads: &Units) -> Cell {
    let (program, of) = (program.to_owned(), threads.clone());
    let take = move || {
        // The control group is removed when this function returns.
        let group = MemoryGroup::make()?;
        let directory = Some(group.directory().to_owned());
        let of = Units { group: directory, ..of.clone() };
        points(&program, &of, Report::kernel)
    };
    fitted(threads, "kernel memory per unit", take)
        .needs(|| MemoryGroup::make().map(drop))
}

fn fitted(
    units: &Units,
    quantity: &str,
    take: impl Fn() -> Result<Vec<(f64, f64)>, String> + 'static,
) -> Cell {
    let cell = Cell::fitted(&units.contender, Source::Harness, quantity, take)
        .quantity(quantity);
    if units.contender == std_thread::NAME {
        cell.needs(|| room_for_threads(line::COUNTS * THREADS))
    } else {
        cell
    }
}

/// Measures the quantity for each number of threads or tasks, each in a
/// separate process.
fn points(
    program: &Path,
    of: &Units,
    figure: fn(&Report) -> Result<u64, String>,
) -> Result<Vec<(f64, f64)>, String> {
    line::points(step(of), |units| {
        let units = Units { units, ..of.clone() };
        figure(&units.in_a_process(program)?)
    })
}

/// Returns the difference between the numbers of threads or tasks in the
/// measured processes. For tasks, it is chosen so that they take megabytes,
/// whatever their state, but hold no more than [`MOST_HELD`] together.
fn step(of: &Units) -> u64 {
    if of.contender == std_thread::NAME {
        THREADS
    } else {
        // A task is a few hundred bytes larger than its state.
        MOST_HELD / line::COUNTS / (of.state_bytes + 448)
    }
}
