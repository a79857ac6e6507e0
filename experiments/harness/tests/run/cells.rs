//! The chapter whose cells misbehave.

use std::fs;
use std::future::poll_fn;
use std::io::Read;
use std::process::{self, Command};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::task::Poll;
use std::thread::{self, available_parallelism};
use std::time::Duration;

use harness::{
    Base, Body, Cell, Chapter, Counter, Experiment, Held, Measurement,
    Placement, Spinners, ToAsync,
};
use hdrhistogram::Histogram;
use host::memory::ProcessMemory;
use measurement::Source::{Harness, Histogram as OfHistogram};
use runtimes::monoio::EPOLL;
use runtimes::tokio::{LOCAL_SET, MULTI_THREAD, ONE_WORKER};
use runtimes::{LOCAL, MOVING};

use crate::recorded::recorded_cells;

const ANSWER: u64 = 42;

/// The bytes of a vector in [`fitted`].
pub(crate) const VECTOR: usize = 16 << 10;

pub(crate) fn chapter() -> Chapter {
    let experiments = [
        behaving,
        misbehaving,
        tasks,
        counted,
        placed,
        read,
        parts,
        staged,
        beyond,
        served,
        apart,
        fitted,
        together,
        recorded_cells,
    ];
    let experiments = experiments.map(|experiment| experiment()).into();
    Chapter::new("harness", env!("CARGO_MANIFEST_DIR"), experiments)
}

type Operation = fn() -> u64;

fn cell(name: &str, answer: u64, operation: Operation) -> Cell {
    Cell::new(name, answer, Body::here(move || operation))
}

/// Returns how often this place in the code was reached before, in this
/// process.
macro_rules! passed {
    () => {{
        static PASSED: AtomicU64 = AtomicU64::new(0);
        PASSED.fetch_add(1, Ordering::Relaxed)
    }};
}

fn behaving() -> Experiment {
    let tokio = Body::task(MULTI_THREAD, || async { ANSWER });
    Experiment::new("behaving", "time per operation", "sleeps")
        .cell(cell("sleeps", ANSWER, || {
            thread::sleep(Duration::from_micros(200));
            ANSWER
        }))
        .cell(Cell::new("tokio", ANSWER, tokio).parameter("arm", "ours").per(2))
        .cell(cell("only in full", ANSWER, || ANSWER).full_only())
}

fn misbehaving() -> Experiment {
    let cells: [(&str, Operation); 6] = [
        ("panics", || panic!("out of cheese")),
        ("aborts", || process::abort()),
        ("hangs", || hang()),
        ("is wrong", || 41),
        ("is wrong at times", || ANSWER - u64::from(passed!() == 2)),
        ("is killed later", || {
            thread::sleep(Duration::from_millis(1));
            if passed!() == 30 {
                let id = process::id().to_string();
                drop(Command::new("kill").args(["-9", &id]).status());
            }
            ANSWER
        }),
    ];
    let limit = Duration::from_secs(2);
    let cells =
        cells.map(|(name, of)| cell(name, ANSWER, of).time_limit(limit));
    Experiment::new("misbehaving", "time per operation", "panics").cells(cells)
}

fn hang() -> ! {
    loop {
        thread::park();
    }
}

/// Windows with known counts.
fn served() -> Experiment {
    fn plain(elapsed: Duration) -> Measurement {
        Measurement { answered: 1000, elapsed, ..Measurement::default() }
    }
    fn counts(duration: Duration) -> Measurement {
        thread::sleep(duration);
        let mut latencies = Histogram::new(3).expect("three digits");
        (1..=1000)
            .for_each(|latency| latencies.record(latency).expect("it grows"));
        Measurement {
            errors: 2,
            offered: Some(60_000.0),
            late: Some(3),
            latencies: Some(latencies),
            ..plain(duration)
        }
    }
    type Take = fn(Duration) -> Result<Measurement, String>;
    let cell =
        |name, take: Take| Cell::window(name, Duration::from_millis(20), take);
    let plainly: Take =
        |duration| Ok(Measurement { also: vec![0.5], ..plain(duration) });
    let hangs = cell("hangs serving", |_| hang());
    // Two windows with a hundred latencies each, alternately.
    let in_turn = cell("serves in turn", |duration| {
        let windows = [[(10, 98), (90, 2)], [(20, 99), (30, 1)]];
        let mut latencies = Histogram::new(3).expect("three digits");
        for (latency, count) in windows[passed!() as usize % 2] {
            latencies.record_n(latency, count).expect("it grows");
        }
        Ok(Measurement { latencies: Some(latencies), ..plain(duration) })
    });
    // In a separate group from cells that end the process.
    let at_times = cell("counts more at times", |duration| {
        Ok(if passed!() % 2 == 1 { counts } else { plain }(duration))
    });
    Experiment::new("served", "throughput", "serves")
        .cell(cell("serves", |duration| Ok(counts(duration))))
        .cell(
            cell("serves plainly", plainly)
                .also(&[("CPU time per request", Harness)]),
        )
        .cell(cell("serves nobody", |elapsed| {
            Ok(Measurement { errors: 7, elapsed, ..Measurement::default() })
        }))
        .cell(cell("refuses to serve", |_| Err("no waiter".to_owned())))
        .cell(cell("dies serving", |duration| match passed!() {
            1 => process::abort(),
            _ => Ok(counts(duration)),
        }))
        .cell(at_times.group("alone"))
        .cell(in_turn.group("in turn"))
        .cell(hangs.time_limit(Duration::from_millis(300)).group("hangs"))
}

/// Readings in separate processes, where they may do anything, next to cells in
/// the process of the rounds.
fn apart() -> Experiment {
    /// How much the cells left behind in this process.
    static LEFT: AtomicU64 = AtomicU64::new(0);
    let id = || u64::from(process::id());
    // As a time with at most four digits, which points preserve.
    let time = move || Duration::from_nanos(id() % 10_000 + 1);
    let in_one = Body::here(move || move || (time(), ANSWER));
    let once = |name, take: fn() -> Result<Vec<f64>, String>| {
        Cell::once(name, Harness, &["reached"], take)
    };
    let hangs = once("hangs apart", || hang());
    Experiment::new("apart", "total time", "in one process")
        .cell(Cell::new("in one process", ANSWER, in_one))
        .cell(Cell::once(
            "on its own",
            Harness,
            &["reached", "moves per process"],
            move || Ok(vec![(id() / 10_000) as f64, (id() % 10_000) as f64]),
        ))
        .cell(once("leaks", || {
            thread::spawn(|| loop {
                std::hint::spin_loop();
            });
            Ok(vec![LEFT.fetch_add(1, Ordering::Relaxed) as f64])
        }))
        .cell(Cell::readings("finds", Harness, &["reached"], || {
            Ok(vec![LEFT.load(Ordering::Relaxed) as f64])
        }))
        .cell(once("aborts apart", || process::abort()))
        .cell(hangs.time_limit(Duration::from_millis(300)))
}

/// Threads that work at the same moment. Cells with the same number of threads
/// share them.
fn together() -> Experiment {
    let panics = Body::together(2, false, || {
        (
            |place| if place == 0 { panic!("out of cheese") } else { 1 },
            |sum| sum,
        )
    });
    let works_on = Body::together(2, false, || (|_| 1, |sum| sum));
    let at_once = Body::together(3, false, || {
        // Can only be passed if all threads are working at once.
        let barrier = Barrier::new(3);
        let work = move |place| {
            barrier.wait();
            thread::sleep(Duration::from_millis(1) * place as u32);
            place as u64
        };
        (work, |sum| sum + 100)
    });
    let few = cores().min(40);
    let pinned = Body::together(few as usize, true, || {
        (|_| 1 << this_core().min(40), |sum: u64| u64::from(sum.count_ones()))
    });
    Experiment::new("together", "time per operation", "works on")
        .cell(Cell::new("panics in a crew", 2, panics))
        .cell(Cell::new("works on", 2, works_on))
        .cell(Cell::new("at once", 103, at_once))
        .cell(Cell::new("pinned", few, pinned))
}

/// The memory that a unit adds to a process.
fn fitted() -> Experiment {
    type Points = Result<Vec<(f64, f64)>, String>;
    let quantity = "resident memory per unit";
    let cell = |name, take: fn() -> Points| {
        Cell::fitted(name, Harness, quantity, take)
    };
    Experiment::new("fitted", quantity, "vectors")
        .cell(cell("vectors", || {
            let mut units = Vec::new();
            let point = |count| {
                units.resize_with(count, || vec![1_u8; VECTOR]);
                let held = std::hint::black_box(&units).len();
                Ok((held as f64, ProcessMemory::now()?.resident_bytes as f64))
            };
            [500, 1000, 2000].into_iter().map(point).collect()
        }))
        .cell(cell("two points", || Ok(vec![(1.0, 5.0), (2.0, 7.0)])))
        .cell(cell("falls", || Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])))
}

/// A cell that times a part of its operation, and one whose operation includes
/// a known wait.
fn parts() -> Experiment {
    const WAIT: Duration = Duration::from_micros(500);
    const KNOWN: Base = Base::Known { time: WAIT, per: 10 };
    let part = Body::here(|| || (Duration::from_nanos(4_000), ANSWER));
    let waits = cell("waits", ANSWER, || {
        thread::sleep(WAIT);
        ANSWER
    });
    let reads = Cell::readings("reads", Harness, &["total time"], || {
        Ok(vec![500_700.0])
    });
    Experiment::new("parts", "total time", "waits")
        .cell(
            Cell::new("spawns", ANSWER, part).per(4).quantity("time to spawn"),
        )
        .cell(waits.beyond(KNOWN, "time per unit"))
        .cell(reads.beyond(KNOWN, "time per unit"))
}

/// Tasks that panic before other tasks of their runtimes run.
fn tasks() -> Experiment {
    async fn panics() -> u64 {
        panic!("out of cheese")
    }
    // Late enough for the other cells of its runtime to have been started.
    let later = Body::task(EPOLL, || async {
        thread::sleep(Duration::from_millis(1));
        assert!(passed!() != 12, "out of cheese");
        ANSWER
    });
    let panics = Body::task(LOCAL_SET, panics);
    Experiment::new("tasks", "time per operation", "panics later")
        .cell(Cell::new("panics on the thread", ANSWER, panics))
        .cell(Cell::new("panics later", ANSWER, later))
}

/// Yields once, on any executor.
async fn give_way() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Workloads with known counts.
fn counted() -> Experiment {
    let allocates = || {
        let parts = [(); 3].map(|()| Vec::<u8>::with_capacity(100));
        std::hint::black_box(&parts).len() as u64
    };
    let sleeps = || {
        thread::sleep(Duration::from_micros(100));
        1
    };
    // Each in a separate thread, whose calls count as well.
    let reads = || {
        let read = || fs::File::open("/dev/zero")?.read(&mut [0; 8]);
        let threads = [(); 3].map(|()| thread::spawn(read));
        let bytes = threads.map(|thread| thread.join().expect("it reads"));
        bytes.map(|bytes| bytes.unwrap_or(0) as u64).iter().sum()
    };
    let dies = || {
        assert_eq!(harness::allocations::counted(), (0, 0), "counted");
        1
    };
    Experiment::new("counted", "time per operation", "allocates")
        .counting(&[
            Counter::Allocations,
            Counter::Bytes,
            Counter::ContextSwitches,
            Counter::SystemCalls,
            Counter::ReadCalls,
            Counter::FutexCalls,
        ])
        .cell(cell("allocates", 3, allocates))
        .cell(cell("allocates in parts", 3, allocates).per(3))
        .cell(cell("dies of counting", 1, dies))
        .cell(cell("waits", 1, sleeps))
        .cell(cell("reads files", 24, reads))
        .cell(cell("is left out", 1, sleeps).uncounted())
        .cell(cell("is for full", 1, sleeps).counted_in_full())
        .cell(cell("in company", cores(), spinners).beside(Spinners::Idle))
}

/// Cells with a state that checks that it is the only one.
fn staged() -> Experiment {
    /// The number of states in this process.
    static LIVE: AtomicU64 = AtomicU64::new(0);
    fn set_up() -> Rc<u64> {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Rc::new(ANSWER - 1)
    }
    fn operation(state: u64) -> u64 {
        state + LIVE.load(Ordering::Relaxed)
    }
    fn take_down() {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
    let here = Body::here(|| {
        let state = Held::new(set_up(), |_| take_down());
        move || operation(**state)
    });
    let moving = MOVING.iter().map(|&runtime| {
        let body = Body::task_with(
            runtime,
            || async { *set_up() },
            |state| async move { (state, operation(state)) },
            |_| async { take_down() },
        );
        Cell::new(runtime.name(), ANSWER, body)
    });
    let local = LOCAL.iter().map(|&runtime| {
        let body = Body::task_with(
            runtime,
            // A value that a task that may move couldn't hold.
            || async { set_up() },
            |state| async move {
                give_way().await;
                let answer = operation(*state);
                (state, answer)
            },
            |_| async { take_down() },
        );
        Cell::new(runtime.name(), ANSWER, body)
    });
    Experiment::new("staged", "time per operation", "here")
        .cell(Cell::new("here", ANSWER, here.for_each_visit()))
        .cells(moving)
        .cells(local)
}

/// Times beyond a baseline, at the baseline's settings.
fn beyond() -> Experiment {
    let cell = |name, arm: &str, units: i64, own| {
        let time = Duration::from_nanos(own);
        Cell::new(name, ANSWER, Body::here(move || move || (time, ANSWER)))
            .parameter("arm", arm)
            .parameter("units", units)
    };
    let beyond = |name, arm, units, own| {
        let cell = cell(name, arm, units, own);
        cell.beyond(Base::Baseline, "time per switch")
    };
    Experiment::new("beyond", "time per hop", "baseline")
        .cell(cell("baseline", "ours", 1, 5_000))
        .cell(beyond("slower", "ours", 1, 7_000))
        .cell(beyond("slower", "another", 1, 9_000).in_sweep())
        .cell(beyond("faster", "ours", 1, 4_000))
        .cell(beyond("without", "ours", 2, 4_000))
}

fn cores() -> u64 {
    available_parallelism().map_or(1, usize::from) as u64
}

/// Returns the number of children of this process that each keep a core awake.
fn spinners() -> u64 {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let children = threads.flatten().map(|thread| {
        let ids = fs::read_to_string(thread.path().join("children"));
        ids.unwrap_or_default().split_whitespace().count() as u64
    });
    children.sum()
}

/// Each cell returns how many cores it may use.
fn placed() -> Experiment {
    let task = Body::task(MULTI_THREAD, || async {
        tokio::spawn(async { cores() }).await.expect("it returns")
    });
    // A runtime is started on all cores, even if its cell then runs on one.
    let of_task = Body::task(MULTI_THREAD, || async { tokio_workers() });
    let of_to_async = Body::task(ToAsync, || async { tokio_workers() });
    let of_one = Body::task(ONE_WORKER, || async { tokio_workers() });
    let here = || Body::here(|| cores);
    let two = Body::here(|| cores_of_two_threads);
    let (one_core, all_cores) = (Placement::OneCore, Placement::AllCores);
    let cells = [
        ("here", 1, here(), one_core),
        ("task", 1, task, one_core),
        ("workers of a task", cores(), of_task, one_core),
        ("workers of to_async", cores(), of_to_async, one_core),
        ("one worker", 1, of_one, one_core),
        ("here", cores(), here(), all_cores),
        ("neighbours", 2, two, Placement::Neighbours),
    ];
    Experiment::new("placed", "time per operation", "here").cells(cells.map(
        |(name, answer, body, placement)| {
            Cell::new(name, answer, body).placement(placement)
        },
    ))
}

fn tokio_workers() -> u64 {
    tokio::runtime::Handle::current().metrics().num_workers() as u64
}

/// Returns on how many different cores two pinned threads run.
fn cores_of_two_threads() -> u64 {
    let core = |place| {
        thread::spawn(move || {
            harness::pin_this_thread(place).expect("it can be pinned");
            this_core()
        })
    };
    let cores = [core(0), core(1)].map(|thread| thread.join());
    let [one, other] = cores.map(|core| core.expect("it returns"));
    1 + u64::from(one != other)
}

#[cfg(target_os = "linux")]
fn this_core() -> usize {
    nix::sched::sched_getcpu().expect("the core is known")
}

#[cfg(not(target_os = "linux"))]
fn this_core() -> usize {
    0
}

/// Figures that are not criterion's.
fn read() -> Experiment {
    let cell = |name, take: fn() -> Result<Vec<f64>, String>| {
        let quantities = ["latency p50", "latency p99"];
        Cell::readings(name, OfHistogram, &quantities, take)
    };
    let beyond = cell("reads beyond", || Ok(vec![10.0, f64::INFINITY]));
    let needs = cell("needs", || unreachable!("it is asked first"));
    Experiment::new("read", "latency p50", "reads")
        .cell(cell("reads", || Ok(vec![10.0, 20.0])))
        .cell(cell("reads half", || Ok(vec![10.0])))
        .cell(cell("reads infinity", || Ok(vec![10.0, f64::INFINITY])))
        .cell(beyond.infinite_means("it is more than all cheese"))
        .cell(cell("refuses", || Err("no cheese".to_owned())))
        .cell(needs.needs(|| Err("a cheese shop is needed".to_owned())))
}
