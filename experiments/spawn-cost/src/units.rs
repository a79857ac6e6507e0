//! Experiment `units`: create, run and collect N units that return their id.
//!
//! Its centre is 1,000 units on all cores that capture nothing but their id and
//! are collected after all have been created. What a thread's price is made of,
//! and what captured state adds, is measured at 100 units: the state of so few
//! still fits into caches, and so many threads take milliseconds already.

use std::hint::black_box;
use std::time::{Duration, Instant};

use harness::{
    room_for_threads, Body, Cell, Counter, Executor, Experiment, LocalExecutor,
    Placement, Spinners,
};
use measurement::Source;

#[cfg(target_os = "linux")]
use crate::glommio;
#[cfg(feature = "async-std")]
use crate::pools::on_an_async_std_worker;
use crate::pools::{new_pool, on_a_rayon_worker, on_the_only_rayon_worker};
#[cfg(not(feature = "async-std"))]
use crate::WITHOUT_ASYNC_STD;
#[cfg(feature = "async-std")]
use crate::{async_std, task_creation_as_published};
use crate::{
    captured, compio, first_instruction, monoio, rayon, smol, std_thread,
    std_thread_one_by_one, thread_creation_as_published, thread_pool,
    tokio_as_published, tokio_local_set, tokio_multi_thread,
    tokio_spawn_blocking,
};

/// How many units at once, at the centre, and where few are enough.
const CENTRE: u64 = 1_000;
const FEW: u64 = 100;

/// At what other counts a contender is measured: in every run, and in full
/// only.
const COUNTS: [(Contender, &[u64], &[u64]); 4] = [
    (Contender::StdThread, &[FEW], &[]),
    (Contender::Rayon, &[FEW, 10_000], &[100_000]),
    (Contender::TokioMultiThread, &[FEW, 10_000], &[100_000]),
    (Contender::TokioCurrentThread, &[], &[FEW, 10_000, 100_000]),
];

/// So many threads take too long for visits of criterion's.
const MANY_THREADS: u64 = 10_000;

/// Of which creation is timed alone in every run; of the others in full.
const CREATED_IN_QUICK: [Contender; 2] =
    [Contender::Rayon, Contender::TokioMultiThread];

/// The counts at which creation was published: threads, and tasks of async-std.
const CREATION_PUBLISHED: (u64, u64) = (1_000, 10_000);

/// The most state that a unit carries, measured in every run with tasks.
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
        .cells(Contender::ALL.map(|contender| whole(contender, CENTRE)))
        .cells(COUNTS.into_iter().flat_map(other_counts))
        .cell(many_threads())
        .cells(Contender::ALL.map(creation))
        .cells(first_instructions())
        .cells(captures())
        .cells(threads_taken_apart())
        .cells(on_one_core())
        .cell(rayon_from_outside())
        .cell(compio_with_long_interval())
        .cells(as_published())
        .cells(creation_as_published())
}

/// A body for a module whose units are tasks: its `create_and_collect` as a
/// whole, or its `create` alone.
macro_rules! tasks {
    ($body:ident, $executor:expr, $module:ident, $units:ident, $part:ident) => {
        match $part {
            Part::Whole => Body::$body($executor, move || {
                $module::create_and_collect($units)
            }),
            Part::Creation => Body::$body($executor, move || async move {
                let start = Instant::now();
                let created = $module::create($units);
                (start.elapsed(), $module::collect(created).await)
            }),
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Contender {
    StdThread,
    ThreadPool,
    Rayon,
    TokioMultiThread,
    TokioCurrentThread,
    TokioLocalSet,
    TokioSpawnBlocking,
    Smol,
    Glommio,
    MonoioEpoll,
    MonoioIoUring,
    Compio,
    AsyncStd,
}

/// What is on the clock.
#[derive(Clone, Copy)]
enum Part {
    /// Creating, running and collecting the units.
    Whole,
    /// Creating them, which for some means that others run meanwhile.
    Creation,
}

impl Contender {
    const ALL: [Contender; 13] = [
        Contender::StdThread,
        Contender::ThreadPool,
        Contender::Rayon,
        Contender::TokioMultiThread,
        Contender::TokioCurrentThread,
        Contender::TokioLocalSet,
        Contender::TokioSpawnBlocking,
        Contender::Smol,
        Contender::Glommio,
        Contender::MonoioEpoll,
        Contender::MonoioIoUring,
        Contender::Compio,
        Contender::AsyncStd,
    ];

    fn name(self) -> &'static str {
        match self {
            Contender::StdThread => "std::thread",
            Contender::ThreadPool => "thread pool",
            Contender::Rayon => "rayon",
            Contender::TokioMultiThread => "tokio multi-thread",
            Contender::TokioCurrentThread => "tokio current_thread",
            Contender::TokioLocalSet => "tokio LocalSet",
            Contender::TokioSpawnBlocking => "tokio spawn_blocking",
            Contender::Smol => "smol",
            Contender::Glommio => "glommio",
            Contender::MonoioEpoll => "monoio epoll",
            Contender::MonoioIoUring => "monoio io_uring",
            Contender::Compio => "compio",
            Contender::AsyncStd => "async-std",
        }
    }

    /// Tasks are created by a task, and Rayon's jobs by one of its jobs. Jobs
    /// are handed to a plain pool from outside, as such pools are used.
    fn body(self, units: u64, part: Part) -> Body {
        use {Executor as Any, LocalExecutor as Local};
        match self {
            Contender::StdThread => threads(units, part),
            Contender::ThreadPool => pool(units, part),
            Contender::Rayon => jobs(units, part),
            Contender::TokioMultiThread => {
                tasks!(
                    task,
                    Any::TokioMultiThread,
                    tokio_multi_thread,
                    units,
                    part
                )
            }
            Contender::TokioCurrentThread => {
                tasks!(
                    task,
                    Any::TokioCurrentThread,
                    tokio_multi_thread,
                    units,
                    part
                )
            }
            Contender::TokioLocalSet => {
                tasks!(
                    local_task,
                    Local::TokioLocalSet,
                    tokio_local_set,
                    units,
                    part
                )
            }
            Contender::TokioSpawnBlocking => blocking(units, part),
            Contender::Smol => tasks!(task, Any::Smol, smol, units, part),
            #[cfg(target_os = "linux")]
            Contender::Glommio => {
                tasks!(local_task, Local::Glommio, glommio, units, part)
            }
            // The harness says why.
            #[cfg(not(target_os = "linux"))]
            Contender::Glommio => {
                Body::local_task(Local::Glommio, || async { 0 })
            }
            Contender::MonoioEpoll => {
                tasks!(local_task, Local::MonoioEpoll, monoio, units, part)
            }
            Contender::MonoioIoUring => {
                tasks!(local_task, Local::MonoioIoUring, monoio, units, part)
            }
            Contender::Compio => {
                tasks!(local_task, Local::Compio, compio, units, part)
            }
            #[cfg(feature = "async-std")]
            Contender::AsyncStd => {
                tasks!(task_by, on_an_async_std_worker, async_std, units, part)
            }
            #[cfg(not(feature = "async-std"))]
            Contender::AsyncStd => Body::here(|| || 0),
        }
    }

    /// Why it cannot run here, if so.
    fn check(self, units: u64) -> Result<(), String> {
        match self {
            Contender::StdThread => room_for_threads(units),
            #[cfg(not(feature = "async-std"))]
            Contender::AsyncStd => Err(WITHOUT_ASYNC_STD.to_owned()),
            _ => Ok(()),
        }
    }
}

fn threads(units: u64, part: Part) -> Body {
    match part {
        Part::Whole => {
            Body::here(move || move || std_thread::create_and_collect(units))
        }
        Part::Creation => Body::self_timed(move || {
            move || {
                let start = Instant::now();
                let created = std_thread::create(units);
                (start.elapsed(), std_thread::collect(created))
            }
        }),
    }
}

/// On a runtime of its own, since its threads stay.
fn blocking(units: u64, part: Part) -> Body {
    match part {
        Part::Whole => Body::task_for_each_visit(move || {
            tokio_spawn_blocking::create_and_collect(units)
        }),
        Part::Creation => Body::task_for_each_visit(move || async move {
            let start = Instant::now();
            let created = tokio_spawn_blocking::create(units);
            (start.elapsed(), tokio_spawn_blocking::collect(created).await)
        }),
    }
}

fn pool(units: u64, part: Part) -> Body {
    match part {
        Part::Whole => Body::here(move || {
            let pool = new_pool();
            move || thread_pool::create_and_collect(&pool, units)
        }),
        Part::Creation => Body::self_timed(move || {
            let pool = new_pool();
            move || {
                let start = Instant::now();
                let created = thread_pool::create(&pool, units);
                (start.elapsed(), thread_pool::collect(created))
            }
        }),
    }
}

fn jobs(units: u64, part: Part) -> Body {
    let create = move || {
        let mut slots = vec![0; units as usize];
        let mut creation = Duration::ZERO;
        ::rayon::scope(|scope| {
            let start = Instant::now();
            rayon::create(scope, &mut slots);
            creation = start.elapsed();
        });
        (creation, slots.iter().sum::<u64>())
    };
    let whole = move || rayon::create_and_collect(units);
    match part {
        Part::Whole => Body::inside(on_a_rayon_worker, whole),
        Part::Creation => Body::inside(on_a_rayon_worker, create),
    }
}

/// A cell at the centre, but for its number of units.
fn cell(contender: &str, units: u64, answer: u64, body: Body) -> Cell {
    described(Cell::new(contender, answer, body).per(units), units)
}

/// States the setting of the centre, but for the number of units.
fn described(cell: Cell, units: u64) -> Cell {
    cell.parameter("units", units as i64)
        .parameter("capture_bytes", 0)
        .parameter("join", "all")
        .parameter("arm", "ours")
        .placement(Placement::AllCores)
}

fn part(contender: Contender, units: u64, part: Part) -> Cell {
    let body = contender.body(units, part);
    cell(contender.name(), units, sum_of_ids(units), body)
        .needs(move || contender.check(units))
}

fn whole(contender: Contender, units: u64) -> Cell {
    part(contender, units, Part::Whole)
}

/// What every contender has to return: 0 + 1 + ... + (units - 1).
fn sum_of_ids(units: u64) -> u64 {
    units * (units - 1) / 2
}

fn other_counts(
    (contender, always, in_full): (Contender, &[u64], &[u64]),
) -> Vec<Cell> {
    let always = always.iter().map(|&units| whole(contender, units));
    let in_full =
        in_full.iter().map(|&units| whole(contender, units).full_only());
    always.chain(in_full).map(Cell::in_sweep).collect()
}

/// Timed once in each process.
fn many_threads() -> Cell {
    let units = MANY_THREADS;
    let contender = Contender::StdThread;
    let once = move || {
        let start = Instant::now();
        let sum = std_thread::create_and_collect(units);
        let nanoseconds = start.elapsed().as_nanos() as f64;
        match sum == sum_of_ids(units) {
            true => Ok(vec![nanoseconds / units as f64]),
            false => Err(format!("{sum}, not {}", sum_of_ids(units))),
        }
    };
    let quantities = ["time per unit"];
    let cell =
        Cell::readings(contender.name(), Source::Harness, &quantities, once);
    described(cell, units).needs(move || contender.check(units)).full_only()
}

/// Creation alone, as the spawner sees it; collecting is off the clock.
fn creation(contender: Contender) -> Cell {
    let cell = part(contender, CENTRE, Part::Creation)
        .quantity("time to spawn")
        .in_sweep();
    match CREATED_IN_QUICK.contains(&contender) {
        true => cell,
        false => cell.full_only(),
    }
}

/// One unit at a time: its spawner waits for it before it creates the next.
fn first_instructions() -> [Cell; 6] {
    use first_instruction as first;
    let alone = |contender: Contender, body| {
        cell(contender.name(), 1, 1, body)
            .in_sweep()
            .parameter("join", "one by one")
            .quantity("time to first instruction")
    };
    let tokio = |executor| {
        Body::task(executor, || async { timed(first::tokio_task().await) })
    };
    let monoio = Body::local_task(LocalExecutor::MonoioIoUring, || async {
        timed(first::monoio_task().await)
    });
    let thread = Body::self_timed(|| || timed(first::thread()));
    let pool = Body::self_timed(|| {
        let pool = new_pool();
        move || timed(first::boxed(|job| pool.execute(job)))
    });
    let job = Body::inside(on_a_rayon_worker, || timed(first::job()));
    [
        alone(Contender::StdThread, thread),
        alone(Contender::TokioMultiThread, tokio(Executor::TokioMultiThread)),
        alone(Contender::ThreadPool, pool).full_only(),
        alone(Contender::Rayon, job).full_only(),
        alone(
            Contender::TokioCurrentThread,
            tokio(Executor::TokioCurrentThread),
        )
        .full_only(),
        alone(Contender::MonoioIoUring, monoio).full_only(),
    ]
}

/// How long it took, and 1 if the unit began after its spawner.
fn timed((start, began): first_instruction::Times) -> (Duration, u64) {
    let took = began.checked_duration_since(start);
    (took.unwrap_or_default(), u64::from(took.is_some()))
}

/// Units that carry state, and the state alone.
fn captures() -> impl Iterator<Item = Cell> {
    let all = [capture::<1_024>(), capture::<16_384>(), capture::<MOST>()];
    all.into_iter().flatten()
}

fn capture<const BYTES: usize>() -> [Cell; 4] {
    let cell = |contender: &str, body| {
        let cell = cell(contender, FEW, sum_of_ids(FEW), body)
            .parameter("capture_bytes", BYTES as i64)
            .in_sweep();
        match (contender, BYTES) {
            ("tokio multi-thread", MOST) => cell,
            _ => cell.full_only(),
        }
    };
    let nothing = Body::here(|| || captured::nothing::<BYTES>(black_box(FEW)));
    let threads = Body::here(|| || captured::threads::<BYTES>(FEW));
    let jobs = Body::inside(on_a_rayon_worker, || captured::jobs::<BYTES>(FEW));
    let tasks = Body::task(Executor::TokioMultiThread, || {
        captured::tasks::<BYTES>(FEW)
    });
    [
        cell("baseline", nothing),
        cell("std::thread", threads),
        cell("rayon", jobs),
        cell("tokio multi-thread", tasks),
    ]
}

/// What a thread's price is made of: each differs in one thing from threads of
/// ours, all at once on all cores.
fn threads_taken_apart() -> [Cell; 5] {
    let threads = || whole(Contender::StdThread, FEW);
    let one_by_one = || {
        let operation = || std_thread_one_by_one::create_and_collect(FEW);
        let body = Body::here(move || operation);
        cell("std::thread", FEW, sum_of_ids(FEW), body)
            .parameter("join", "one by one")
    };
    [
        // There is no other core to wake.
        threads().placement(Placement::OneCore),
        // No core sleeps: something runs on it that makes way at once ...
        threads().beside(Spinners::Idle).parameter("arm", "awake"),
        // ... or that wants its share of it.
        threads()
            .beside(Spinners::Normal)
            .parameter("arm", "busy")
            .in_sweep()
            .full_only(),
        // The stack of the last one, which has ended, serves again ...
        one_by_one(),
        // ... and the creator only goes on when it has.
        one_by_one().placement(Placement::OneCore).full_only(),
    ]
}

/// What the other core does for jobs and tasks. A pool or a runtime that is
/// started on one core has one worker.
fn on_one_core() -> [Cell; 2] {
    let placement = Placement::OneCore;
    let executor = Executor::tokio_started_on(placement);
    let job = || rayon::create_and_collect(CENTRE);
    let job = Body::inside(on_the_only_rayon_worker, job);
    let task =
        Body::task(executor, || tokio_multi_thread::create_and_collect(CENTRE));
    [(Contender::Rayon, job), (Contender::TokioMultiThread, task)].map(
        |(contender, body)| {
            cell(contender.name(), CENTRE, sum_of_ids(CENTRE), body)
                .placement(placement)
                .in_sweep()
                .full_only()
        },
    )
}

/// Few jobs, handed to the pool by a thread that is not in it and waits: shown
/// where there are fewest to share the price of that.
fn rayon_from_outside() -> Cell {
    let operation = || rayon::create_and_collect(FEW);
    let body = Body::here(move || operation);
    cell("rayon", FEW, sum_of_ids(FEW), body)
        .parameter("arm", "from outside")
        .in_sweep()
        .full_only()
}

/// After so many tasks compio asks its driver for events, and after fewer when
/// no task is left to run. By default it is after 61.
const INTERVAL: usize = 20_000;

/// compio without most of its looks at the driver.
fn compio_with_long_interval() -> Cell {
    use ::compio::runtime::RuntimeBuilder;
    let build = || {
        let runtime = RuntimeBuilder::new().event_interval(INTERVAL).build();
        runtime.map_err(|error| error.to_string())
    };
    let body = Body::here(move || {
        let runtime = build().expect("it could be built before");
        move || {
            let task = runtime.spawn(compio::create_and_collect(CENTRE));
            runtime.block_on(task).expect("the task does not panic")
        }
    });
    let contender = Contender::Compio.name();
    cell(contender, CENTRE, sum_of_ids(CENTRE), body)
        .needs(move || build().map(drop))
        .parameter("arm", "long interval")
        .in_sweep()
        .full_only()
}

/// `spawning.spawn-overhead` as it was published: threads are made and joined
/// as in ours, tasks in a `JoinSet` from the thread of `block_on`.
fn as_published() -> [Cell; 2] {
    let tasks = Body::here(move || {
        let runtime = tokio_as_published::runtime();
        move || tokio_as_published::create_and_collect(&runtime, CENTRE)
    });
    let answer = sum_of_ids(CENTRE);
    [
        whole(Contender::StdThread, CENTRE),
        cell("tokio multi-thread", CENTRE, answer, tasks),
    ]
    .map(|cell| cell.parameter("arm", "as published"))
}

/// `context-switch.creation` as it was published. The answer is how many units
/// began after they were created.
fn creation_as_published() -> [Cell; 2] {
    let (threads, tasks) = CREATION_PUBLISHED;
    let thread_creation = Body::self_timed(move || {
        move || thread_creation_as_published::create(threads)
    });
    #[cfg(feature = "async-std")]
    let task_creation = Body::self_timed(move || {
        move || task_creation_as_published::create(tasks)
    });
    #[cfg(not(feature = "async-std"))]
    let task_creation = Body::here(|| || 0);
    let published = |contender: Contender, units, body| {
        cell(contender.name(), units, units, body)
            .needs(move || contender.check(units))
            .parameter("arm", "as published")
            .quantity("time to spawn")
            .in_sweep()
    };
    [
        published(Contender::StdThread, threads, thread_creation),
        published(Contender::AsyncStd, tasks, task_creation),
    ]
}
