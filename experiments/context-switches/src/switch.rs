//! Experiment `switch`: two threads or tasks switch from one to the other and
//! back. An operation is several round trips of two switches each. The time
//! is per switch.
//!
//! Threads share one core, where the kernel switches between them, or have
//! two, where each thread wakes the other core. Tasks are wherever their
//! executor puts them.

use std::cell::RefCell;
use std::time::Duration;

use harness::{Body, Cell, Counter, Experiment, Placement, Spinners};
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::smol::GLOBAL as SMOL;
use runtimes::tokio::{CURRENT_THREAD, LOCAL_SET, MULTI_THREAD, ONE_WORKER};
use runtimes::{std_thread, Runtime};

pub mod channels;
pub mod futex;
pub mod line;
pub mod pipes;
pub mod wake_up;
pub mod yields;

use crate::thread_pair::{in_a_thread, pair, second, First, Pair};

use wake_up::ParkedThread;

/// The number of round trips per operation. Tasks make more of them, because
/// each operation has to create its tasks. Threads are created before their
/// batch.
const TASKS: u64 = 500;
const THREADS: u64 = 100;

/// The line of the published benchmark `context-switch.task-switch`. The
/// first number is how many tasks it has; times are divided by it. The second
/// is how many times a number goes through the line per operation.
const LINE: u64 = 500;
const LAPS: u64 = 20;

/// The time for which a core has been idle when it is woken.
const REST: Duration = Duration::from_millis(1);

const STD: &str = std_thread::NAME;
const ONE: Placement = Placement::OneCore;
const TWO: Placement = Placement::Neighbours;
const ANY: Placement = Placement::AllCores;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("switch", "time per switch", STD)
        .counting(&[
            Counter::ContextSwitches,
            Counter::EpollWaitCalls,
            Counter::FutexCalls,
            Counter::IoUringEnterCalls,
        ])
        .cells(yielding())
        .cells(futexes())
        .cells(pipes())
        .cells(channelling())
        .cell(line_as_published())
        .cells(waking_up())
}

/// How one thread or task lets the other one run. This is the parameter
/// `kernel`.
#[derive(Clone, Copy)]
enum Handover {
    Yield,
    Futex,
    Pipe,
    Channel,
    Line,
    WakeUp,
}

impl Handover {
    fn name(self) -> &'static str {
        match self {
            Handover::Yield => "yield",
            Handover::Futex => "futex",
            Handover::Pipe => "pipe",
            Handover::Channel => "channel",
            Handover::Line => "line",
            Handover::WakeUp => "wake-up",
        }
    }

    /// Creates a benchmark whose operation makes `rounds` round trips. Each
    /// round trip is two switches.
    fn cell(
        self,
        contender: &str,
        placement: Placement,
        rounds: u64,
        body: Body,
    ) -> Cell {
        let cell = Cell::new(contender, rounds, body).per(2 * rounds);
        self.described(cell, placement)
    }

    fn described(self, cell: Cell, placement: Placement) -> Cell {
        cell.parameter("kernel", self.name())
            .parameter("arm", "ours")
            .placement(placement)
            .in_sweep()
    }

    fn threads(self, placement: Placement, start: fn(First) -> Pair) -> Cell {
        self.cell(STD, placement, THREADS, pair(placement, THREADS, start))
    }

    fn tasks(self, contender: &str, body: Body) -> Cell {
        self.cell(contender, ANY, TASKS, body)
    }
}

fn yielding_threads(first: First) -> Pair {
    let pair = yields::std_thread::Pair::start(first);
    Box::new(move |rounds| pair.round_trips(rounds))
}

pub(crate) fn parking_threads(first: First) -> Pair {
    let pair = futex::Pair::start(first);
    Box::new(move |rounds| pair.round_trips(rounds))
}

pub(crate) fn threads_with_pipes(first: First) -> Pair {
    let mut pair = pipes::threads::Pair::start(first).expect("there are pipes");
    Box::new(move |rounds| pair.round_trips(rounds).expect("a pipe"))
}

pub(crate) fn threads_with_channels(first: First) -> Pair {
    let pair = channels::std_thread::Pair::start(first);
    Box::new(move |rounds| pair.round_trips(rounds))
}

/// Creates a benchmark for each runtime, with the tasks that the module
/// `$family` defines for it.
macro_rules! tasks {
    ($handover:expr, $family:ident) => {{
        macro_rules! on {
            ($runtime:expr, $module:ident) => {{
                let body = Body::task($runtime, || {
                    $family::$module::round_trips(TASKS)
                });
                $handover.tasks($runtime.name(), body)
            }};
        }
        #[cfg(target_os = "linux")]
        let glommio = on!(GLOMMIO, glommio);
        // On systems other than Linux, this benchmark only reports that
        // Glommio can't run.
        #[cfg(not(target_os = "linux"))]
        let glommio = $handover.tasks(
            GLOMMIO.name(),
            Body::task(GLOMMIO, || std::future::ready(0)),
        );
        [
            on!(MULTI_THREAD, tokio),
            on!(CURRENT_THREAD, tokio),
            on!(SMOL, smol),
            on!(LOCAL_SET, tokio_local_set).full_only(),
            glommio,
            on!(EPOLL, monoio).full_only(),
            on!(IO_URING, monoio),
            on!(COMPIO, compio),
        ]
    }};
}

/// Creates benchmarks for two threads or tasks that take turns and call
/// `yield_now`, which does something else in each runtime (see the modules).
/// A runtime with several workers may put the tasks on two of them, where
/// each yields to itself until the other has had its turn. On one thread,
/// Tokio's current_thread and LocalSet first run the task that yielded last:
/// each of two tasks runs twice in a row, the second time in vain.
fn yielding() -> Vec<Cell> {
    let handover = Handover::Yield;
    let tokio = |runtime: Runtime, arm: &str, body| {
        let cell = handover.tasks(runtime.name(), body);
        cell.parameter("arm", arm).full_only()
    };
    let one_worker =
        Body::task(ONE_WORKER, || yields::tokio::round_trips(TASKS));
    let wakes_itself = Body::task(CURRENT_THREAD, || {
        yields::tokio_wakes_itself::round_trips(TASKS)
    });
    let mut cells = vec![
        handover.threads(ONE, yielding_threads),
        handover.threads(TWO, yielding_threads).full_only(),
        tokio(MULTI_THREAD, "one worker", one_worker),
        // This benchmark avoids the `epoll_wait` that Tokio's own `yield_now`
        // makes in every turn.
        tokio(CURRENT_THREAD, "wakes itself", wakes_itself),
    ];
    cells.extend(tasks!(handover, yields));
    cells
}

fn futexes() -> [Cell; 4] {
    let handover = Handover::Futex;
    [
        handover.threads(ONE, parking_threads),
        handover.threads(TWO, parking_threads),
        // In this benchmark, spinning threads keep both cores awake.
        handover
            .threads(TWO, parking_threads)
            .parameter("arm", "awake")
            .beside(Spinners::Idle),
        handover.threads(ANY, parking_threads).full_only(),
    ]
}

/// Creates benchmarks for two threads connected by pipes and, for comparison,
/// for one thread that does the same reads and writes.
fn pipes() -> [Cell; 4] {
    let handover = Handover::Pipe;
    let baseline = Body::here(|| {
        let mut pipes =
            pipes::one_thread::Pipes::new().expect("there are pipes");
        move || pipes.round_trips(THREADS).expect("a pipe")
    });
    [
        handover.threads(ONE, threads_with_pipes),
        handover.threads(TWO, threads_with_pipes),
        handover.threads(ANY, threads_with_pipes).full_only(),
        handover.cell("baseline", ONE, THREADS, baseline),
    ]
}

fn channelling() -> Vec<Cell> {
    let handover = Handover::Channel;
    let in_block_on = Body::here(|| {
        let runtime = tokio::runtime::Runtime::new();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || runtime.block_on(channels::tokio::round_trips(TASKS))
    });
    let mut cells = vec![
        handover.threads(ONE, threads_with_channels),
        handover.threads(TWO, threads_with_channels),
        handover.threads(ANY, threads_with_channels).full_only(),
        handover
            .tasks(MULTI_THREAD.name(), in_block_on)
            .parameter("arm", "block_on"),
    ];
    cells.extend(tasks!(handover, channels));
    cells
}

/// Creates our version of the published benchmark
/// `context-switch.task-switch` for tasks. They run inside the future passed
/// to `block_on`, on a runtime with one thread.
fn line_as_published() -> Cell {
    let body = Body::here(|| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        move || runtime.block_on(line::laps(LINE, LAPS))
    });
    let cell = Cell::new(CURRENT_THREAD.name(), LAPS, body).per(LINE * LAPS);
    Handover::Line.described(cell, ANY).parameter("arm", "as published")
}

/// Creates benchmarks that measure how long it takes to wake a thread: on a
/// sleeping core, on a core that is kept awake, and on the core of the thread
/// that wakes it.
fn waking_up() -> [Cell; 3] {
    thread_local! {
        static SLEEPER: RefCell<Option<ParkedThread>> = RefCell::default();
    }
    let cell = |placement, arm: &str| {
        let wake = move || {
            SLEEPER.with_borrow_mut(|sleeper| {
                let start = || ParkedThread::start(second(placement));
                (sleeper.get_or_insert_with(start).wake(REST), 1)
            })
        };
        let body = Body::inside(in_a_thread(placement), wake);
        Handover::WakeUp
            .described(Cell::new(STD, 1, body), placement)
            .parameter("arm", arm)
            .quantity("wake-up")
    };
    [
        cell(TWO, "ours"),
        cell(TWO, "awake").beside(Spinners::Idle),
        cell(ONE, "ours"),
    ]
}
