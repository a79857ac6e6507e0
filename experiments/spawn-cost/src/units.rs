//! Experiment `units`: creates, runs and collects N units (threads, jobs or
//! tasks) that return their id.
//!
//! The centre is 1,000 units on all cores that capture only their id and are
//! collected after all have been created. The parts of a thread's cost, and
//! the cost of captured state, are measured with 100 units: their state still
//! fits into caches, and 100 threads already take milliseconds.

use std::time::{Duration, Instant};

use harness::{
    room_for_threads, tokio_started_on, Body, Cell, Counter, Experiment,
    FreshTokio, Placement, Spinners,
};
use measurement::Source;
use runtimes::rayon::{on_a_worker, on_the_only_worker};
use runtimes::tokio::{CURRENT_THREAD, LOCAL_SET, MULTI_THREAD};
use runtimes::{compio, glommio, monoio, smol, Runtime};

use crate::listings;
use crate::pools::new_pool;

#[cfg(feature = "async-std")]
pub mod async_std;
pub mod captured;
pub mod creation_as_published;
pub mod first_instruction;

/// The number of threads, jobs or tasks that exist at once: `CENTRE` in most
/// benchmarks, `FEW` where that is enough.
const CENTRE: u64 = 1_000;
const FEW: u64 = 100;

/// More numbers of threads, jobs or tasks per contender: (in every run, in
/// full runs only).
const COUNTS: [(Contender, &[u64], &[u64]); 4] = [
    (STD_THREAD, &[FEW], &[]),
    (RAYON, &[FEW, 10_000], &[100_000]),
    (TOKIO_MULTI_THREAD, &[FEW, 10_000], &[100_000]),
    (TOKIO_CURRENT_THREAD, &[], &[FEW, 10_000, 100_000]),
];

/// A number of threads that takes too long for criterion's sampling: one
/// batch takes longer than a sample.
const MANY_THREADS: u64 = 10_000;

/// Contenders whose creation is timed separately even in a quick run.
const CREATED_IN_QUICK: [&str; 2] = [RAYON.name, TOKIO_MULTI_THREAD.name];

/// The numbers of units whose creation the published measurement times:
/// (threads, async-std tasks).
const CREATION_PUBLISHED: (u64, u64) = (1_000, 10_000);

/// The largest state that a thread, job or task carries, in bytes. Tokio
/// tasks carry it in every run, others only in full runs.
const MOST: usize = 65_536;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("units", "time per unit", "std::thread")
        .counting(&[
            Counter::Allocations,
            Counter::Bytes,
            Counter::ContextSwitches,
            Counter::CpuTime,
            Counter::PageFaults,
        ])
        .cells(CONTENDERS.map(|contender| whole(contender, CENTRE)))
        .cells(COUNTS.into_iter().flat_map(other_counts))
        .cell(many_threads())
        .cells(CONTENDERS.map(creation))
        .cells(first_instructions())
        .cells(captures())
        .cells(threads_taken_apart())
        .cells(on_one_core())
        .cell(rayon_from_outside())
        .cell(compio_with_long_interval())
        .cells(as_published())
        .cells(creation_as_published())
}

/// The part of an operation that is timed.
#[derive(Clone, Copy)]
enum Part {
    /// Creating, running and collecting the units.
    Whole,
    /// The creation of the units. Units created earlier may already run.
    Creation,
}

/// A contender that creates, runs and collects threads, jobs or tasks.
#[derive(Clone, Copy)]
struct Contender {
    name: &'static str,
    /// Creates the benchmark's body from the number of units and the part
    /// that is timed.
    body: fn(u64, Part) -> Body,
    /// Checks that the given number of units can run here.
    check: fn(u64) -> Result<(), String>,
}

/// Defines the contender whose units are tasks of `$runtime`, created by one
/// of its tasks. `$module` has the functions `create_and_collect`, `create`
/// and `collect`.
macro_rules! tasks {
    ($runtime:expr, $module:path) => {
        Contender {
            name: $runtime.name(),
            body: |units, part| {
                use $module as module;
                match part {
                    Part::Whole => Body::task($runtime, move || {
                        module::create_and_collect(units)
                    }),
                    Part::Creation => {
                        Body::task($runtime, move || async move {
                            let start = Instant::now();
                            let created = module::create(units);
                            (start.elapsed(), module::collect(created).await)
                        })
                    }
                }
            },
            check: |_| Ok(()),
        }
    };
}

const STD_THREAD: Contender = Contender {
    name: runtimes::std_thread::NAME,
    body: threads,
    check: room_for_threads,
};

/// The plain thread pool. It gets its jobs from outside, which is how such
/// pools are used.
const THREAD_POOL: Contender =
    Contender { name: "thread pool", body: pool, check: |_| Ok(()) };

/// Rayon. A job in its pool creates the jobs.
const RAYON: Contender =
    Contender { name: runtimes::rayon::NAME, body: jobs, check: |_| Ok(()) };

const TOKIO_MULTI_THREAD: Contender =
    tasks!(MULTI_THREAD, listings::tokio_multi_thread);
const TOKIO_CURRENT_THREAD: Contender =
    tasks!(CURRENT_THREAD, listings::tokio_multi_thread);

const TOKIO_SPAWN_BLOCKING: Contender = Contender {
    name: "tokio spawn_blocking",
    body: blocking,
    check: |_| Ok(()),
};

#[cfg(target_os = "linux")]
const GLOMMIO: Contender = tasks!(glommio::UNBOUND, listings::glommio);

/// On systems other than Linux, starting Glommio fails with the reason why it
/// can't run.
#[cfg(not(target_os = "linux"))]
const GLOMMIO: Contender = Contender {
    name: glommio::UNBOUND.name(),
    body: |_, _| Body::task(glommio::UNBOUND, || async { 0 }),
    check: |_| Ok(()),
};

const MONOIO_IO_URING: Contender = tasks!(monoio::IO_URING, listings::monoio);
const COMPIO: Contender = tasks!(compio::DEFAULT, listings::compio);

#[cfg(feature = "async-std")]
const ASYNC_STD: Contender =
    tasks!(runtimes::async_std::GLOBAL, self::async_std);

#[cfg(not(feature = "async-std"))]
const ASYNC_STD: Contender = Contender {
    name: "async-std",
    body: |_, _| Body::here(|| || 0_u64),
    check: |_| Err(crate::left_out::ASYNC_STD.to_owned()),
};

const CONTENDERS: [Contender; 13] = [
    STD_THREAD,
    THREAD_POOL,
    RAYON,
    TOKIO_MULTI_THREAD,
    TOKIO_CURRENT_THREAD,
    tasks!(LOCAL_SET, listings::tokio_local_set),
    TOKIO_SPAWN_BLOCKING,
    tasks!(smol::GLOBAL, listings::smol),
    GLOMMIO,
    tasks!(monoio::EPOLL, listings::monoio),
    MONOIO_IO_URING,
    COMPIO,
    ASYNC_STD,
];

fn threads(units: u64, part: Part) -> Body {
    match part {
        Part::Whole => Body::here(move || {
            move || listings::std_thread::create_and_collect(units)
        }),
        Part::Creation => Body::here(move || {
            move || {
                let start = Instant::now();
                let created = listings::std_thread::create(units);
                (start.elapsed(), listings::std_thread::collect(created))
            }
        }),
    }
}

/// Returns the benchmark's body for blocking calls. It uses a separate
/// runtime, because the threads of the blocking pool outlive the calls.
fn blocking(units: u64, part: Part) -> Body {
    match part {
        Part::Whole => Body::task(FreshTokio, move || {
            listings::tokio_spawn_blocking::create_and_collect(units)
        }),
        Part::Creation => Body::task(FreshTokio, move || async move {
            let start = Instant::now();
            let created = listings::tokio_spawn_blocking::create(units);
            (
                start.elapsed(),
                listings::tokio_spawn_blocking::collect(created).await,
            )
        }),
    }
}

fn pool(units: u64, part: Part) -> Body {
    match part {
        Part::Whole => Body::here(move || {
            let pool = new_pool();
            move || listings::thread_pool::create_and_collect(&pool, units)
        }),
        Part::Creation => Body::here(move || {
            let pool = new_pool();
            move || {
                let start = Instant::now();
                let created = listings::thread_pool::create(&pool, units);
                (start.elapsed(), listings::thread_pool::collect(created))
            }
        }),
    }
}

fn jobs(units: u64, part: Part) -> Body {
    let create = move || {
        let mut slots = vec![0; units as usize];
        let mut creation = Duration::ZERO;
        rayon::scope(|scope| {
            let start = Instant::now();
            listings::rayon::create(scope, &mut slots);
            creation = start.elapsed();
        });
        (creation, slots.iter().sum::<u64>())
    };
    let whole = move || listings::rayon::create_and_collect(units);
    match part {
        Part::Whole => Body::inside(on_a_worker, whole),
        Part::Creation => Body::inside(on_a_worker, create),
    }
}

/// Returns a benchmark with the usual parameters and the given number of
/// threads, jobs or tasks.
fn cell(contender: &str, units: u64, answer: u64, body: Body) -> Cell {
    described(Cell::new(contender, answer, body).per(units), units)
}

/// Adds the usual parameters, with `units` as the number of units.
fn described(cell: Cell, units: u64) -> Cell {
    cell.parameter("units", units as i64)
        .parameter("capture_bytes", 0)
        .parameter("join", "all")
        .parameter("arm", "ours")
        .placement(Placement::AllCores)
}

fn part(contender: Contender, units: u64, part: Part) -> Cell {
    let body = (contender.body)(units, part);
    cell(contender.name, units, sum_of_ids(units), body)
        .needs(move || (contender.check)(units))
}

fn whole(contender: Contender, units: u64) -> Cell {
    part(contender, units, Part::Whole)
}

/// Returns the answer of every contender: 0 + 1 + ... + (units - 1).
fn sum_of_ids(units: u64) -> u64 {
    units * (units - 1) / 2
}

fn other_counts(
    (contender, always, in_full): (Contender, &[u64], &[u64]),
) -> Vec<Cell> {
    let always = always.iter().map(|&units| whole(contender, units));
    let in_full =
        in_full.iter().map(|&units| whole(contender, units).full_only());
    let cells = always.chain(in_full).map(Cell::in_sweep);
    if contender.name == STD_THREAD.name {
        cells.collect()
    } else {
        cells.map(Cell::uncounted).collect()
    }
}

/// Returns the benchmark of many threads, which is timed once per process.
fn many_threads() -> Cell {
    let units = MANY_THREADS;
    let contender = STD_THREAD;
    let once = move || {
        let start = Instant::now();
        let sum = listings::std_thread::create_and_collect(units);
        let nanoseconds = start.elapsed().as_nanos() as f64;
        if sum == sum_of_ids(units) {
            Ok(vec![nanoseconds / units as f64])
        } else {
            Err(format!("{sum}, not {}", sum_of_ids(units)))
        }
    };
    let quantities = ["time per unit"];
    let cell =
        Cell::readings(contender.name, Source::Harness, &quantities, once);
    described(cell, units).needs(move || (contender.check)(units)).full_only()
}

/// Returns the benchmark that times only the creation, as seen by the
/// spawner. Collecting isn't timed.
fn creation(contender: Contender) -> Cell {
    let cell = part(contender, CENTRE, Part::Creation)
        .quantity("time to spawn")
        .in_sweep();
    if CREATED_IN_QUICK.contains(&contender.name) {
        cell
    } else {
        cell.full_only()
    }
}

/// Returns benchmarks that create one unit at a time: the spawner waits for a
/// unit before it creates the next.
fn first_instructions() -> [Cell; 6] {
    use first_instruction as first;
    let alone = |contender: Contender, body| {
        cell(contender.name, 1, 1, body)
            .in_sweep()
            .parameter("join", "one by one")
            .quantity("time to first instruction")
    };
    let tokio = |runtime: Runtime| {
        Body::task(runtime, || async { timed(first::tokio_task().await) })
    };
    let monoio = Body::task(monoio::IO_URING, || async {
        timed(first::monoio_task().await)
    });
    let thread = Body::here(|| || timed(first::thread()));
    let pool = Body::here(|| {
        let pool = new_pool();
        move || timed(first::boxed(|job| pool.execute(job)))
    });
    let job = Body::inside(on_a_worker, || timed(first::job()));
    [
        alone(STD_THREAD, thread),
        alone(TOKIO_MULTI_THREAD, tokio(MULTI_THREAD)),
        alone(THREAD_POOL, pool).full_only(),
        alone(RAYON, job).full_only(),
        alone(TOKIO_CURRENT_THREAD, tokio(CURRENT_THREAD)).full_only(),
        alone(MONOIO_IO_URING, monoio).full_only(),
    ]
}

/// Returns the time from `start` to `began`. The answer returned with it is
/// 1, or 0 if `began` is before `start`.
fn timed((start, began): first_instruction::Times) -> (Duration, u64) {
    let took = began.checked_duration_since(start);
    (took.unwrap_or_default(), u64::from(took.is_some()))
}

fn captures() -> impl Iterator<Item = Cell> {
    let all = [capture::<1_024>(), capture::<16_384>(), capture::<MOST>()];
    all.into_iter().flatten()
}

fn capture<const BYTES: usize>() -> [Cell; 3] {
    let cell = |contender: &str, body| {
        let cell = cell(contender, FEW, sum_of_ids(FEW), body)
            .parameter("capture_bytes", BYTES as i64)
            .in_sweep()
            .uncounted();
        match (contender, BYTES) {
            ("tokio multi-thread", MOST) => cell,
            _ => cell.full_only(),
        }
    };
    let threads = Body::here(|| || captured::threads::<BYTES>(FEW));
    let jobs = Body::inside(on_a_worker, || captured::jobs::<BYTES>(FEW));
    let tasks = Body::task(MULTI_THREAD, || captured::tasks::<BYTES>(FEW));
    [
        cell("std::thread", threads),
        cell("rayon", jobs),
        cell("tokio multi-thread", tasks),
    ]
}

/// Returns benchmarks that show the parts of a thread's cost. Each changes
/// one condition of another benchmark. The starting point, which is measured
/// elsewhere, creates all threads at once on all cores.
fn threads_taken_apart() -> [Cell; 5] {
    let threads = || whole(STD_THREAD, FEW);
    let one_by_one = || {
        let body = Body::here(|| || one_by_one(FEW));
        cell("std::thread", FEW, sum_of_ids(FEW), body)
            .parameter("join", "one by one")
    };
    [
        // With a single core, no other core has to be woken.
        threads().placement(Placement::OneCore),
        // Keeps every core awake with a spinner that gives way to any other
        // thread at once.
        threads().beside(Spinners::Idle).parameter("arm", "awake"),
        // Keeps every core awake with a spinner that competes for the core
        // like any other thread.
        threads()
            .beside(Spinners::Normal)
            .parameter("arm", "busy")
            .in_sweep()
            .full_only(),
        // Each thread reuses the stack of the previous one, which has ended.
        one_by_one(),
        // On a single core, the thread has also ended by the time the creator
        // continues.
        one_by_one().placement(Placement::OneCore).full_only(),
    ]
}

/// Creates `units` threads that return their id, joins each before it creates
/// the next, and adds up the ids.
fn one_by_one(units: u64) -> u64 {
    (0..units)
        .map(|id| std::thread::spawn(move || id))
        .map(|thread| thread.join().expect("the thread returns its id"))
        .sum()
}

/// Returns benchmarks of jobs and tasks on one core, to show the effect of
/// the other cores. A pool or a runtime started on one core has one worker.
fn on_one_core() -> [Cell; 2] {
    let placement = Placement::OneCore;
    let runtime = tokio_started_on(placement);
    let job = || listings::rayon::create_and_collect(CENTRE);
    let job = Body::inside(on_the_only_worker, job);
    let task = Body::task(runtime, || {
        listings::tokio_multi_thread::create_and_collect(CENTRE)
    });
    [(RAYON, job), (TOKIO_MULTI_THREAD, task)].map(|(contender, body)| {
        cell(contender.name, CENTRE, sum_of_ids(CENTRE), body)
            .placement(placement)
            .in_sweep()
            .full_only()
            .uncounted()
    })
}

/// Returns the benchmark of a few jobs that an outside thread hands to Rayon
/// and waits for. The fewer jobs there are, the larger each job's share of
/// the cost of the hand-over.
fn rayon_from_outside() -> Cell {
    let operation = || listings::rayon::create_and_collect(FEW);
    let body = Body::here(move || operation);
    cell("rayon", FEW, sum_of_ids(FEW), body)
        .parameter("arm", "from outside")
        .in_sweep()
        .full_only()
        .uncounted()
}

/// The number of tasks that compio runs before it polls its I/O driver. It
/// polls earlier if no task is ready. The default is 61.
const INTERVAL: usize = 20_000;

/// Returns the benchmark in which compio rarely polls its I/O driver.
fn compio_with_long_interval() -> Cell {
    use ::compio::runtime::RuntimeBuilder;
    let build = || {
        let runtime = RuntimeBuilder::new().event_interval(INTERVAL).build();
        runtime.map_err(runtimes::no_ring)
    };
    let body = Body::here(move || {
        let runtime = build().expect("it could be built before");
        move || {
            let task =
                runtime.spawn(listings::compio::create_and_collect(CENTRE));
            runtime.block_on(task).expect("the task does not panic")
        }
    });
    let contender = COMPIO.name;
    cell(contender, CENTRE, sum_of_ids(CENTRE), body)
        .needs(move || build().map(drop))
        .parameter("arm", "long interval")
        .in_sweep()
        .full_only()
        .uncounted()
}

/// The published measurement `spawning.spawn-overhead`: threads as in our
/// version, and tasks in a `JoinSet` on the thread that calls `block_on`.
fn as_published() -> [Cell; 2] {
    let tasks = Body::here(move || {
        let runtime = listings::tokio_as_published::runtime();
        move || {
            listings::tokio_as_published::create_and_collect(&runtime, CENTRE)
        }
    });
    let answer = sum_of_ids(CENTRE);
    [
        whole(STD_THREAD, CENTRE),
        cell("tokio multi-thread", CENTRE, answer, tasks),
    ]
    .map(|cell| cell.parameter("arm", "as published"))
}

/// The published measurement `context-switch.creation`. The answer is how
/// many threads or tasks read the clock after their creator had read it.
fn creation_as_published() -> [Cell; 2] {
    let (threads, tasks) = CREATION_PUBLISHED;
    let thread_creation =
        Body::here(move || move || creation_as_published::threads(threads));
    #[cfg(feature = "async-std")]
    let task_creation =
        Body::here(move || move || creation_as_published::tasks(tasks));
    #[cfg(not(feature = "async-std"))]
    let task_creation = Body::here(|| || 0_u64);
    let published = |contender: Contender, units, body| {
        cell(contender.name, units, units, body)
            .needs(move || (contender.check)(units))
            .parameter("arm", "as published")
            .quantity("time to spawn")
            .in_sweep()
    };
    [
        published(STD_THREAD, threads, thread_creation),
        published(ASYNC_STD, tasks, task_creation),
    ]
}
