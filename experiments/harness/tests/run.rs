//! A run of a chapter whose cells misbehave, as `cargo run` would do it: this test starts itself as
//! that chapter's program.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::LazyLock;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use harness::{
    Base, Body, Cell, Chapter, Counter, Experiment, Held, Measurement,
    Placement, Spinners, ToAsync,
};
use hdrhistogram::Histogram;
use libtest_mimic::{Arguments, Failed, Trial};
use measurement::{Measured, Outcome, Row, Run, Source};
use runtimes::monoio::EPOLL;
use runtimes::tokio::{LOCAL_SET, MULTI_THREAD, ONE_WORKER};
use runtimes::{LOCAL, MOVING};

/// Makes this process the chapter's program.
const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

const ANSWER: u64 = 42;

fn chapter() -> Chapter {
    let cell = |name: &str, operation: fn() -> u64| {
        Cell::new(name, ANSWER, Body::here(move || operation))
            .time_limit(Duration::from_secs(2))
    };
    let behaving = Experiment::new("behaving", "time per operation", "sleeps")
        .cell(cell("sleeps", || {
            std::thread::sleep(Duration::from_micros(200));
            ANSWER
        }))
        .cell(
            Cell::new(
                "tokio",
                ANSWER,
                Body::task(MULTI_THREAD, || async { ANSWER }),
            )
            .parameter("arm", "ours")
            .per(2),
        )
        .cell(cell("only in full", || ANSWER).full_only());
    let misbehaving =
        Experiment::new("misbehaving", "time per operation", "panics")
            .cell(cell("panics", || panic!("out of cheese")))
            .cell(cell("aborts", || std::process::abort()))
            .cell(cell("hangs", || loop {
                std::thread::sleep(Duration::from_secs(1));
            }))
            .cell(cell("is wrong", || 41))
            .cell(cell("is wrong at times", || {
                static CALLS: AtomicU64 = AtomicU64::new(0);
                ANSWER - u64::from(CALLS.fetch_add(1, Ordering::Relaxed) == 2)
            }))
            .cell(cell("is killed later", || {
                static CALLS: AtomicU64 = AtomicU64::new(0);
                std::thread::sleep(Duration::from_millis(1));
                if CALLS.fetch_add(1, Ordering::Relaxed) == 30 {
                    kill_this_process();
                }
                ANSWER
            }));
    let package = env!("CARGO_MANIFEST_DIR");
    let experiments = vec![
        behaving,
        misbehaving,
        tasks(),
        counted(),
        placed(),
        read(),
        parts(),
        staged(),
        beyond(),
        served(),
        apart(),
        fitted(),
    ];
    Chapter::new("harness", package, experiments)
}

/// Windows of which it is known what they count.
fn served() -> Experiment {
    fn counts(duration: Duration) -> Measurement {
        std::thread::sleep(duration);
        let mut latencies = Histogram::new(3).expect("three digits");
        for latency in 1..=1000 {
            latencies.record(latency).expect("it grows");
        }
        Measurement {
            answered: 1000,
            elapsed: duration,
            errors: 2,
            offered: Some(60_000.0),
            late: Some(3),
            latencies: Some(latencies),
            ..Measurement::default()
        }
    }
    fn plain(duration: Duration) -> Measurement {
        let (answered, elapsed) = (1000, duration);
        Measurement { answered, elapsed, ..Measurement::default() }
    }
    fn is_way_back() -> bool {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1
    }
    let cell =
        |name: &str, take: fn(Duration) -> Result<Measurement, String>| {
            Cell::window(name, Duration::from_millis(20), take)
        };
    Experiment::new("served", "throughput", "serves")
        .cell(cell("serves", |duration| Ok(counts(duration))))
        .cell(
            cell("serves plainly", |duration| {
                let also = vec![0.5];
                Ok(Measurement { also, ..plain(duration) })
            })
            .also(&[("CPU time per request", Source::Harness)]),
        )
        .cell(cell("serves nobody", |elapsed| {
            Ok(Measurement { errors: 7, elapsed, ..Measurement::default() })
        }))
        .cell(cell("refuses to serve", |_| Err("no waiter".to_owned())))
        .cell(cell("dies serving", |duration| {
            static CALLS: AtomicU64 = AtomicU64::new(0);
            if CALLS.fetch_add(1, Ordering::Relaxed) == 1 {
                std::process::abort();
            }
            Ok(counts(duration))
        }))
        .cell(cell("dies serving plainly", |duration| {
            static CALLS: AtomicU64 = AtomicU64::new(0);
            if CALLS.fetch_add(1, Ordering::Relaxed) == 1 {
                std::process::abort();
            }
            Ok(plain(duration))
        }))
        .cell(
            cell("counts more at times", |duration| {
                Ok(if is_way_back() {
                    counts(duration)
                } else {
                    plain(duration)
                })
            })
            // Away from those that end the process.
            .group("alone"),
        )
        .cell(
            cell("hangs serving", |_| loop {
                std::thread::park();
            })
            .time_limit(Duration::from_millis(300))
            .group("hangs"),
        )
}

/// How much cells of [`apart`] left behind in this process.
static LEFT: AtomicU64 = AtomicU64::new(0);

/// Readings in processes of their own, which do there what they like, beside cells
/// in the process of the rounds.
fn apart() -> Experiment {
    // As a time of at most four digits, which points keep.
    let process = || Duration::from_nanos(process_id() % 10_000 + 1);
    let quantities = ["reached", "moves per process"];
    Experiment::new("apart", "total time", "in one process")
        .cell(Cell::new(
            "in one process",
            ANSWER,
            Body::here(move || move || (process(), ANSWER)),
        ))
        .cell(Cell::once("on its own", Source::Harness, &quantities, || {
            let id = process_id();
            Ok(vec![(id / 10_000) as f64, (id % 10_000) as f64])
        }))
        .cell(Cell::once("leaks", Source::Harness, &["reached"], || {
            std::thread::spawn(|| loop {
                std::hint::spin_loop();
            });
            Ok(vec![LEFT.fetch_add(1, Ordering::Relaxed) as f64])
        }))
        .cell(Cell::readings("finds", Source::Harness, &["reached"], || {
            Ok(vec![LEFT.load(Ordering::Relaxed) as f64])
        }))
        .cell(Cell::once("aborts apart", Source::Harness, &["reached"], || {
            std::process::abort()
        }))
        .cell(
            Cell::once("hangs apart", Source::Harness, &["reached"], || loop {
                std::thread::park();
            })
            .time_limit(Duration::from_millis(300)),
        )
}

fn process_id() -> u64 {
    std::process::id().into()
}

/// What a unit adds to the memory of a process.
fn fitted() -> Experiment {
    type Points = Result<Vec<(f64, f64)>, String>;
    let cell = |name: &str, take: fn() -> Points| {
        let quantity = "resident memory per unit";
        Cell::fitted(name, Source::Harness, quantity, take)
    };
    Experiment::new("fitted", "resident memory per unit", "vectors")
        .cell(cell("vectors", || {
            let mut units = Vec::new();
            let mut points = Vec::new();
            for count in [500, 1000, 2000] {
                units.resize_with(count, || vec![1_u8; VECTOR]);
                let held = std::hint::black_box(&units).len();
                points.push((held as f64, resident_bytes()?));
            }
            Ok(points)
        }))
        .cell(cell("two points", || Ok(vec![(1.0, 5.0), (2.0, 7.0)])))
        .cell(cell("falls", || Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])))
}

/// The bytes of a vector in [`fitted`].
const VECTOR: usize = 16 << 10;

fn resident_bytes() -> Result<f64, String> {
    let status = std::fs::read_to_string("/proc/self/status");
    let status = status.map_err(|error| format!("no memory here: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kib = kib.and_then(|kib| kib.parse::<f64>().ok());
    kib.map(|kib| kib * 1024.0).ok_or_else(|| format!("no VmRSS: {status}"))
}

/// A cell that times a part of its operation, and one whose operation holds a
/// known wait.
fn parts() -> Experiment {
    const WAIT: Duration = Duration::from_micros(500);
    const KNOWN: Base = Base::Known { time: WAIT, per: 10 };
    let part = Body::here(|| || (Duration::from_nanos(4_000), ANSWER));
    let waits = Body::here(|| {
        || {
            std::thread::sleep(WAIT);
            ANSWER
        }
    });
    let reads =
        Cell::readings("reads", Source::Harness, &["total time"], || {
            Ok(vec![500_700.0])
        });
    Experiment::new("parts", "total time", "waits")
        .cell(
            Cell::new("spawns", ANSWER, part).per(4).quantity("time to spawn"),
        )
        .cell(Cell::new("waits", ANSWER, waits).beyond(KNOWN, "time per unit"))
        .cell(reads.beyond(KNOWN, "time per unit"))
}

/// A task for each runtime, and one that panics before others of its runtime
/// have their turn.
fn tasks() -> Experiment {
    let tasks = MOVING.iter().map(|&runtime| {
        let body = Body::task(runtime, || async { ANSWER });
        Cell::new(runtime.name(), ANSWER, body)
    });
    let local = LOCAL.iter().map(|&runtime| {
        let body = Body::task(runtime, || async {
            // What a task that may move could not hold.
            let answer = Rc::new(ANSWER);
            give_way().await;
            *answer
        });
        Cell::new(runtime.name(), ANSWER, body)
    });
    async fn panics() -> u64 {
        panic!("out of cheese")
    }
    let panics = Body::task(LOCAL_SET, panics);
    // Late enough for the others of its runtime to have been started.
    let panics_later = Body::task(EPOLL, || async {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        std::thread::sleep(Duration::from_millis(1));
        if CALLS.fetch_add(1, Ordering::Relaxed) == 25 {
            panic!("out of cheese");
        }
        ANSWER
    });
    Experiment::new("tasks", "time per operation", "smol")
        .cell(Cell::new("panics on the thread", ANSWER, panics))
        .cells(tasks)
        .cells(local)
        .cell(Cell::new("panics later", ANSWER, panics_later))
}

/// Gives way once, on whatever executor.
async fn give_way() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            std::task::Poll::Ready(())
        } else {
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        }
    })
    .await;
}

/// Workloads of which it is known what they do.
fn counted() -> Experiment {
    let allocates = || {
        let parts = [(); 3].map(|()| Vec::<u8>::with_capacity(100));
        std::hint::black_box(&parts).len() as u64
    };
    let sleeps = || {
        std::thread::sleep(Duration::from_micros(100));
        1
    };
    // Each in a thread of its own, the calls of which count as well.
    let reads = || {
        let read = || std::fs::File::open("/dev/zero")?.read(&mut [0; 8]);
        let threads = [(); 3].map(|()| std::thread::spawn(read));
        let bytes = threads.map(|thread| thread.join().expect("it reads"));
        bytes.map(|bytes| bytes.unwrap_or(0) as u64).iter().sum::<u64>()
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
        .cell(Cell::new("allocates", 3, Body::here(move || allocates)))
        .cell(
            Cell::new("allocates in parts", 3, Body::here(move || allocates))
                .per(3),
        )
        .cell(Cell::new(
            "dies of counting",
            1,
            Body::here(|| {
                || {
                    assert_eq!(
                        harness::allocations::counted(),
                        (0, 0),
                        "counted"
                    );
                    1
                }
            }),
        ))
        .cell(Cell::new("waits", 1, Body::here(move || sleeps)))
        .cell(Cell::new("reads files", 24, Body::here(move || reads)))
        .cell(
            Cell::new("is left out", 1, Body::here(move || sleeps)).uncounted(),
        )
        .cell(
            Cell::new("is for full", 1, Body::here(move || sleeps))
                .counted_in_full(),
        )
        .cell(
            Cell::new("in company", cores(), Body::here(|| spinners))
                .beside(Spinners::Idle),
        )
}

/// How many states live in this process.
static LIVE: AtomicU64 = AtomicU64::new(0);

/// Cells with a state, each of which has to find itself alone.
fn staged() -> Experiment {
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
    let tasks = MOVING.iter().map(|&runtime| {
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
            // What a task that may move could not hold.
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
        .cells(tasks)
        .cells(local)
}

/// What is beyond a baseline, at the settings that it has.
fn beyond() -> Experiment {
    let cell = |name: &str, arm: &str, units: i64, own: u64| {
        let time = Duration::from_nanos(own);
        let body = Body::here(move || move || (time, ANSWER));
        Cell::new(name, ANSWER, body)
            .parameter("arm", arm)
            .parameter("units", units)
    };
    let beyond = |name: &str, arm: &str, units, own| {
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

/// The children of this process, which keep a core awake each.
fn spinners() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let children = threads.flatten().map(|thread| {
        std::fs::read_to_string(thread.path().join("children"))
            .unwrap_or_default()
    });
    children.map(|ids| ids.split_whitespace().count() as u64).sum()
}

/// Each says how many cores it may use.
fn placed() -> Experiment {
    let here = Body::here(|| cores);
    let task = Body::task(MULTI_THREAD, || async {
        tokio::spawn(async { cores() }).await.expect("it returns")
    });
    let one_worker = Body::task(ONE_WORKER, || async { tokio_workers() });
    Experiment::new("placed", "time per operation", "here")
        .cell(Cell::new("here", 1, here).placement(Placement::OneCore))
        .cell(Cell::new("task", 1, task).placement(Placement::OneCore))
        .cell(workers("workers of a task", || {
            Body::task(MULTI_THREAD, || async { tokio_workers() })
        }))
        .cell(workers("workers of to_async", || {
            Body::task(ToAsync, || async { tokio_workers() })
        }))
        .cell(
            Cell::new("one worker", 1, one_worker)
                .placement(Placement::OneCore),
        )
        .cell(
            Cell::new("here", cores(), Body::here(|| cores))
                .placement(Placement::AllCores),
        )
        .cell(
            Cell::new("neighbours", 2, Body::here(|| cores_of_two_threads))
                .placement(Placement::Neighbours),
        )
        .cell(
            Cell::new("from idle", 1, Body::here(|| || 1).from_idle())
                .placement(Placement::AllCores),
        )
}

/// A runtime is started on all cores, though its cell then runs on one.
fn workers(name: &str, body: fn() -> Body) -> Cell {
    Cell::new(name, cores(), body()).placement(Placement::OneCore)
}

fn tokio_workers() -> u64 {
    tokio::runtime::Handle::current().metrics().num_workers() as u64
}

/// On how many different cores two threads run that were pinned to two.
#[cfg(target_os = "linux")]
fn cores_of_two_threads() -> u64 {
    let core = |place| {
        std::thread::spawn(move || {
            harness::pin_this_thread(place).expect("it can be pinned");
            nix::sched::sched_getcpu().expect("the core is known")
        })
    };
    let cores = [core(0), core(1)].map(|thread| thread.join());
    let [one, other] = cores.map(|core| core.expect("it returns"));
    1 + u64::from(one != other)
}

#[cfg(not(target_os = "linux"))]
fn cores_of_two_threads() -> u64 {
    2
}

/// Figures that are not criterion's.
fn read() -> Experiment {
    let quantities = ["latency p50", "latency p99"];
    let cell = |name: &str, take: fn() -> Result<Vec<f64>, String>| {
        Cell::readings(name, Source::Histogram, &quantities, take)
    };
    Experiment::new("read", "latency p50", "reads")
        .cell(cell("reads", || Ok(vec![10.0, 20.0])))
        .cell(cell("reads half", || Ok(vec![10.0])))
        .cell(cell("reads infinity", || Ok(vec![10.0, f64::INFINITY])))
        .cell(
            cell("reads beyond", || Ok(vec![10.0, f64::INFINITY]))
                .infinite_means("it is more than all cheese"),
        )
        .cell(cell("refuses", || Err("no cheese".to_owned())))
        .cell(
            cell("needs", || unreachable!("it is asked first"))
                .needs(|| Err("a cheese shop is needed".to_owned())),
        )
}

fn kill_this_process() -> ! {
    let id = std::process::id().to_string();
    drop(Command::new("kill").args(["-9", &id]).status());
    unreachable!("kill -9 is not survived")
}

fn program(arguments: &[&str]) -> Output {
    let this = std::env::current_exe().expect("this test has a path");
    let output = Command::new(this).env(PROGRAM, "1").args(arguments).output();
    output.expect("this test can be started")
}

/// One run for all tests.
static RUN: LazyLock<(Run, String)> = LazyLock::new(|| {
    let (text, errors) = &*OUTPUT;
    (all(text).expect("the runs are valid"), errors.clone())
});

/// What it printed, and what it said meanwhile.
static OUTPUT: LazyLock<(String, String)> = LazyLock::new(|| {
    let output = program(&["--json", "--brief"]);
    let errors = String::from_utf8(output.stderr).expect("messages are text");
    assert!(output.status.success(), "{errors}");
    (String::from_utf8(output.stdout).expect("JSON is text"), errors)
});

/// The runs of all experiments as one, under the first one's header, without
/// twins.
fn all(text: &str) -> Result<Run, String> {
    let runs = Run::parse_all(text).map_err(|error| error.to_string())?;
    let header = runs[0].header.clone();
    let rows = runs.into_iter().flat_map(|run| run.rows);
    let rows = rows.filter(|row| row.twin_of.is_none()).collect();
    Ok(Run { header, rows })
}

fn row(contender: &str) -> &'static Row {
    let row = RUN.0.rows.iter().find(|row| row.contender == contender);
    row.unwrap_or_else(|| panic!("no row of {contender:?}"))
}

/// The run that a program printed, and what it said meanwhile.
fn run_in(output: &Output) -> Result<(Run, String), Failed> {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    check(output.status.success(), || said.clone())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let run = all(&text).map_err(|error| format!("{error}: {said}"))?;
    Ok((run, said))
}

fn check(
    holds: bool,
    otherwise: impl FnOnce() -> String,
) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(otherwise().into())
    }
}

fn fails_with(contender: &str, reason: &str) -> Result<(), Failed> {
    match &row(contender).outcome {
        Outcome::Failed(found) if found.contains(reason) => Ok(()),
        other => Err(format!("{contender}: {other:?}, not {reason:?}").into()),
    }
}

fn a_cell_that_behaves_has_a_point_for_every_visit() -> Result<(), Failed> {
    let measured = row("sleeps").measured().ok_or("it failed")?;
    check(measured.points.len() == 12, || format!("{measured:?}"))?;
    let plausible = 200e3..20e6;
    check(plausible.contains(&measured.estimate), || format!("{measured:?}"))?;
    let measured = row("tokio").measured().ok_or("it failed")?;
    check(measured.points.len() == 12, || format!("{measured:?}"))
}

fn quick_leaves_out_what_is_for_full() -> Result<(), Failed> {
    let found = RUN.0.rows.iter().any(|row| row.contender == "only in full");
    check(!found, || "it was measured".to_owned())
}

fn a_cell_that_dies_midway_costs_no_other_cell_a_point() -> Result<(), Failed> {
    // The name of the signal is the system's, its number is not.
    fails_with("is killed later", "signal: 9")?;
    a_cell_that_behaves_has_a_point_for_every_visit()
}

fn the_header_says_what_was_measured() -> Result<(), Failed> {
    let header = &RUN.0.header;
    check(header.chapter == "harness" && header.machine == "local", || {
        format!("{header:?}")
    })?;
    check(header.processes == 2, || format!("{header:?}"))?;
    check(header.crates.contains_key("tokio"), || format!("{header:?}"))?;
    check(header.log.len() == 6, || format!("{header:?}"))?;
    let shares = header.log.iter().filter_map(|round| round.slowed);
    let shares = shares.filter(|share| (0.0..=1.0).contains(share));
    check(shares.count() == 6, || format!("{header:?}"))?;
    check(header.builds == [0], || format!("{header:?}"))?;
    check(header.workload.is_some(), || format!("{header:?}"))
}

/// In each group one cell is visited as its own twin, there and back like the rest.
fn a_group_has_a_twin() -> Result<(), Failed> {
    let runs = Run::parse_all(&OUTPUT.0).map_err(|error| error.to_string())?;
    let rows = || runs.iter().flat_map(|run| &run.rows);
    let twins = || rows().filter(|row| row.twin_of.is_some());
    let twin = twins().find(|row| row.experiment == "behaving");
    let twin = twin.ok_or("there is no twin")?;
    check(twin.contender == "sleeps", || twin.name())?;
    let (one, other) = (row("sleeps").figures()?, twin.figures()?);
    let turns = |m: &Measured| m.visits.as_ref().map(|v| v.turn.clone());
    let all: Vec<u32> = (0..12).collect();
    check(turns(one) == Some(all) && turns(other) == turns(one), || {
        format!("{one:?}, {other:?}")
    })?;
    let visits = one.visits.as_ref().ok_or("no visits")?;
    let ordered = visits.at.windows(2).all(|at| at[0] <= at[1]);
    let probed = visits.probe.iter().all(|&probe| probe > 0.0);
    check(ordered && probed, || format!("{visits:?}"))?;
    check(twins().all(|row| row.group.is_some()), || "no group".to_owned())
}

fn failures_are_said_on_the_way() -> Result<(), Failed> {
    let said = "failed: misbehaving: panics: panicked: out of cheese";
    check(RUN.1.contains(said), || RUN.1.clone())
}

fn a_filter_that_fits_nothing_is_an_error() -> Result<(), Failed> {
    let output = program(&["no such cell", "--brief"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    check(output.status.code() == Some(1) && errors.contains("--list"), || {
        errors
    })
}

fn what_only_full_measures_is_marked_and_said() -> Result<(), Failed> {
    let output = program(&["--list", "beha"]);
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = listed.lines().collect();
    let has = |line: &str| lines.contains(&line);
    let marked = has("behaving: only in full (full)");
    check(marked && has("misbehaving: panics"), || listed.clone())?;
    // The mark is no part of the name.
    let output = program(&["only in full", "--brief"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = errors.contains("only cells of the full profile")
        && errors.contains("add --full");
    check(output.status.code() == Some(1) && said, || errors)
}

fn a_machine_s_name_cannot_leave_the_data_directory() -> Result<(), Failed> {
    let output = program(&["--json", "--machine", "../elsewhere"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    check(!output.status.success() && errors.contains("is not a name"), || {
        errors
    })
}

fn verify_names_what_is_wrong() -> Result<(), Failed> {
    let beyond = Cell::readings("c", Source::Harness, &["total time"], || {
        // A figure that is not found on a busy machine is no wrong answer.
        Ok(vec![f64::INFINITY])
    })
    .infinite_means("it is more than all cheese");
    let falls = Cell::fitted("d", Source::Harness, "total time", || {
        Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])
    });
    let wrong = Chapter::new(
        "harness",
        env!("CARGO_MANIFEST_DIR"),
        vec![Experiment::new("sum", "time per operation", "a")
            .cell(Cell::new("a", 1, Body::here(|| || 1)))
            .cell(Cell::new("b", 1, Body::here(|| || 2)))
            .cell(beyond)
            .cell(falls)],
    );
    let expected = "sum: b: the operations returned 2, the right answer is 1";
    let found = wrong.verify();
    check(found == Err(expected.to_owned()), || format!("{found:?}"))
}

/// What a row counted, at every point.
fn figures(contender: &str, quantity: &str) -> Result<Vec<f64>, Failed> {
    let of =
        |row: &&Row| row.contender == contender && row.quantity == quantity;
    let row = RUN.0.rows.iter().find(of).ok_or("there is no such row")?;
    Ok(row.figures()?.points.clone())
}

fn what_a_workload_does_is_counted() -> Result<(), Failed> {
    for (contender, quantity, expected) in [
        ("allocates", "allocations per operation", 3.0),
        ("allocates", "bytes per operation", 300.0),
        ("allocates in parts", "allocations per operation", 1.0),
        ("waits", "allocations per operation", 0.0),
    ] {
        let points = figures(contender, quantity)?;
        check(points == [expected; 2], || {
            format!("{contender}, {quantity}: {points:?}")
        })?;
    }
    if cfg!(target_os = "linux") {
        // It may lose its core at other times as well.
        let points = figures("waits", "context switches per operation")?;
        check(points.iter().all(|&p| (1.0..1.5).contains(&p)), || {
            format!("{points:?}")
        })?;
    }
    // What fails while it is counted has its time all the same.
    let time = figures("dies of counting", "time per operation")?;
    check(time.len() == 12, || format!("{time:?}"))?;
    match &row_of("dies of counting", "bytes per operation")?.outcome {
        Outcome::Failed(reason) if reason.contains("panicked") => {}
        other => return Err(format!("{other:?}").into()),
    }
    Ok(())
}

/// However they are counted here, and by ptrace; or there is a reason why not.
fn system_calls_are_counted_by_name() -> Result<(), Failed> {
    let this = std::env::current_exe().expect("this test has a path");
    let traced = Command::new(this)
        .env(PROGRAM, "1")
        .env("HARNESS_BY_PTRACE", "1")
        .args(["counted", "--json", "--brief"])
        .output()?;
    let (traced, _) = run_in(&traced)?;
    calls_in(&RUN.0, &[Source::Counter, Source::Ptrace])?;
    calls_in(&traced, &[Source::Ptrace])
}

fn calls_in(run: &Run, sources: &[Source]) -> Result<(), Failed> {
    for (contender, quantity, expected) in [
        ("waits", "system calls per operation", 1.0),
        ("waits", "read calls per operation", 0.0),
        ("waits", "futex calls per operation", 0.0),
        ("reads files", "read calls per operation", 3.0),
        // It fails only where allocations are counted.
        ("dies of counting", "read calls per operation", 0.0),
    ] {
        let is_it =
            |row: &&Row| row.contender == contender && row.quantity == quantity;
        let row = run.rows.iter().find(is_it).ok_or("there is no such row")?;
        match &row.outcome {
            Outcome::Failed(reason) => {
                println!("{contender}: not counted here: {reason}");
                let known = ["ptrace is not allowed", "on Linux only"];
                check(known.iter().any(|k| reason.contains(k)), || {
                    reason.clone()
                })?;
            }
            Outcome::Measured(measured) => {
                let right = measured.points == [expected; 2]
                    && sources.contains(&measured.source);
                check(right, || {
                    format!("{contender}, {quantity}: {measured:?}")
                })?;
            }
        }
    }
    Ok(())
}

fn row_of(contender: &str, quantity: &str) -> Result<&'static Row, Failed> {
    let of =
        |row: &&Row| row.contender == contender && row.quantity == quantity;
    let row = RUN.0.rows.iter().find(of);
    row.ok_or_else(|| format!("no {quantity} of {contender}").into())
}

/// It has a time, while spinners were there, or says why not; they are not
/// counted for it.
fn a_cell_in_company_is_timed_and_not_counted() -> Result<(), Failed> {
    match &row("in company").outcome {
        Outcome::Measured(_) => {}
        Outcome::Failed(reason) if cfg!(not(target_os = "linux")) => {
            println!("no company here: {reason}");
        }
        Outcome::Failed(reason) => return Err(reason.clone().into()),
    }
    let rows = RUN.0.rows.iter().filter(|row| row.contender == "in company");
    check(rows.count() == 1, || "it was counted".to_owned())
}

/// A row of every executor: measured, or with the reason why not.
fn a_cell_that_is_left_out_is_timed_and_not_counted() -> Result<(), Failed> {
    for contender in ["is left out", "is for full"] {
        row_of(contender, "time per operation")?.figures()?;
        let rows = RUN.0.rows.iter().filter(|row| row.contender == contender);
        let more = rows.count() - 1;
        check(more == 0, || format!("{contender}: {more} rows of counts"))?;
    }
    Ok(())
}

fn what_is_beyond_the_baseline_is_a_row() -> Result<(), Failed> {
    let rows = RUN.0.rows.iter().filter(|row| row.experiment == "beyond");
    let differences: Vec<_> = rows
        .filter(|row| row.quantity == "time per switch")
        .map(|row| {
            let figures = row.figures()?;
            let even = figures.points.iter().all(|&p| p == figures.estimate);
            check(row.difference && even, || format!("{row:?}"))?;
            Ok::<_, Failed>((row.contender.as_str(), figures.estimate))
        })
        .collect::<Result<_, _>>()?;
    let expected =
        [("slower", 2_000.0), ("slower", 4_000.0), ("faster", -1_000.0)];
    check(differences == expected, || format!("{differences:?}"))
}

/// A state is there for a visit, and gone when the next cell has its own.
fn a_state_lives_for_one_visit() -> Result<(), Failed> {
    let rows = RUN.0.rows.iter().filter(|row| row.experiment == "staged");
    let mut measured = 0;
    for row in rows {
        match &row.outcome {
            Outcome::Measured(_) => measured += 1,
            // What an executor says that cannot be built here.
            Outcome::Failed(reason) => {
                let built = !reason.contains("cannot be built here");
                check(!built, || format!("{}: {reason}", row.contender))?;
            }
        }
    }
    check(measured >= 4, || format!("{measured} cells ran"))
}

fn every_runtime_runs_or_says_why_not() -> Result<(), Failed> {
    let moving = MOVING.iter().map(|runtime| runtime.name());
    let local = LOCAL.iter().map(|runtime| runtime.name());
    for contender in moving.chain(local) {
        match &row(contender).outcome {
            Outcome::Measured(measured) => {
                check(measured.points.len() == 12, || format!("{measured:?}"))?;
            }
            Outcome::Failed(reason) => {
                println!("{contender} cannot run here: {reason}");
                check(reason.contains("cannot be built here"), || {
                    reason.clone()
                })?;
            }
        }
    }
    fails_with("panics later", "panicked: out of cheese")?;
    fails_with("panics on the thread", "panicked: out of cheese")
}

fn a_cell_runs_on_the_cores_that_it_asks_for() -> Result<(), Failed> {
    let placed = RUN.0.rows.iter().filter(|row| row.experiment == "placed");
    let mut count = 0;
    for row in placed {
        count += 1;
        match &row.outcome {
            Outcome::Measured(_) => {}
            Outcome::Failed(reason) if cfg!(not(target_os = "linux")) => {
                println!("{}: {reason}", row.name());
            }
            Outcome::Failed(reason) => {
                return Err(format!("{}: {reason}", row.name()).into());
            }
        }
        let stated = row.parameters.get("placement").is_some();
        check(stated, || format!("{} does not say where", row.name()))?;
    }
    check(count == 8, || format!("{count} rows"))
}

/// Also if no other cell has started the runtime before.
fn a_runtime_has_all_cores_whoever_starts_it() -> Result<(), Failed> {
    let output = program(&["workers of to_async", "--json", "--brief"]);
    let (run, _) = run_in(&output)?;
    let measured = run.rows[0].figures()?.points.len();
    check(measured == 12, || format!("{measured} points"))
}

/// A process that may use one core has no neighbours to put units on.
fn one_core_is_enough_for_all_but_neighbours() -> Result<(), Failed> {
    let this = std::env::current_exe().expect("this test has a path");
    let output = Command::new("taskset")
        .args(["--cpu-list", "0"])
        .arg(this)
        .env(PROGRAM, "1")
        .args(["placed", "--json", "--brief"])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: taskset, which limits a process, {error}");
            return Ok(());
        }
    };
    let (run, errors) = run_in(&output)?;
    let outcome = |name: &str| {
        let row = run.rows.iter().find(|row| row.contender == name);
        row.map(|row| row.outcome.clone()).ok_or("no such row")
    };
    let measured = matches!(outcome("task")?, Outcome::Measured(_));
    check(measured, || errors.clone())?;
    match outcome("neighbours")? {
        Outcome::Failed(reason) if reason.contains("2 cores") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// No file can grow, as on a full disk: every visit fails, with the reason.
fn without_room_for_criterion_s_files_there_are_reasons() -> Result<(), Failed>
{
    let this = std::env::current_exe().expect("this test has a path");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" sleeps --json --brief";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(this)
        .env(PROGRAM, "1")
        .output();
    let Ok(output) = output else {
        println!("skipped: there is no sh to limit the size of files with");
        return Ok(());
    };
    let (run, _) = run_in(&output)?;
    match &run.rows[0].outcome {
        Outcome::Failed(reason) if reason.contains("File too large") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn without_a_place_for_temporary_files_there_are_reasons() -> Result<(), Failed>
{
    let this = std::env::current_exe().expect("this test has a path");
    let output = Command::new(this)
        .env(PROGRAM, "1")
        .env("TMPDIR", "/nonexistent")
        .args(["sleeps", "--json", "--brief"])
        .output()?;
    let (run, _) = run_in(&output)?;
    match &run.rows[0].outcome {
        Outcome::Failed(reason) if reason.contains("temporary file") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn readings_are_rows_of_each_quantity() -> Result<(), Failed> {
    check(figures("reads", "latency p50")? == [10.0; 2], String::new)?;
    check(figures("reads", "latency p99")? == [20.0; 2], String::new)?;
    fails_with("refuses", "no cheese")?;
    fails_with("reads half", "are not one figure for each of")?;
    fails_with("reads infinity", "are not one figure for each of")?;
    fails_with("reads beyond", "it is more than all cheese")?;
    fails_with("needs", "a cheese shop is needed")
}

fn turns(row: &Row) -> Result<Vec<u32>, Failed> {
    let visits = row.figures()?.visits.as_ref().ok_or("no visits")?;
    let count = visits.turn.len();
    let probed = visits.probe.iter().filter(|&&probe| probe > 0.0).count();
    let logged = [visits.at.len(), visits.build.len(), probed];
    check(logged == [count; 3], || format!("{visits:?}"))?;
    Ok(visits.turn.clone())
}

/// In a run of two processes of three rounds: there and back in the first round of
/// each.
fn a_window_is_visited_there_and_back_in_each_process() -> Result<(), Failed> {
    let throughput = row_of("serves", "throughput")?;
    let all = turns(throughput)?;
    check(all == [0, 1, 6, 7], || format!("{all:?}"))?;
    let measured = throughput.figures()?;
    let right = measured.points == [50_000.0; 4]
        && measured.source == Source::Harness
        && throughput.unit == measurement::Unit::PerSecond;
    check(right, || format!("{throughput:?}"))?;
    let window = measured.window.as_ref().ok_or("no window")?;
    let right = window.achieved == measured.points
        && window.offered == [60_000.0; 4]
        && window.errors == [2; 4]
        && window.late == [3; 4];
    check(right, || format!("{window:?}"))?;
    // The histogram says what its percentiles say.
    for (quantity, share, expected) in [
        ("latency p50", 0.5, 500),
        ("latency p99", 0.99, 990),
        ("latency p99.9", 0.999, 999),
        ("latency max", 1.0, 1000),
    ] {
        let row = row_of("serves", quantity)?;
        let measured = row.figures()?;
        let points = &measured.points;
        check(*points == [expected as f64; 4], || format!("{row:?}"))?;
        check(measured.source == Source::Histogram, || format!("{row:?}"))?;
        check(turns(row)? == all, || format!("{row:?}"))?;
        let kept: Vec<u64> =
            window.histogram.iter().map(|l| l.at_share(share)).collect();
        check(kept == [expected; 4], || format!("{quantity}: {kept:?}"))?;
    }
    let plain = row_of("serves plainly", "throughput")?;
    let window = plain.figures()?.window.as_ref().ok_or("no window")?;
    let empty = window.histogram.is_empty()
        && window.offered.is_empty()
        && window.late.is_empty();
    check(empty && window.errors == [0; 4], || format!("{window:?}"))?;
    let used = row_of("serves plainly", "CPU time per request")?;
    check(used.figures()?.points == [0.5; 4], || format!("{used:?}"))?;
    let rows = RUN.0.rows.iter().filter(|r| r.contender == plain.contender);
    check(rows.count() == 2, || "a latency from nowhere".to_owned())
}

/// With the reason, whatever it was; and so is each quantity that it might have
/// had, for all that is known.
fn a_window_that_fails_is_a_row() -> Result<(), Failed> {
    let nobody = "0 requests were answered in 20ms, 7 failed";
    let at_times = "only 2 of 4 visits counted latencies";
    for (contender, reason, rows) in [
        ("serves nobody", nobody, 5),
        ("refuses to serve", "no waiter", 5),
        ("hangs serving", "gave no answer within 0.3 s", 5),
        ("dies serving", "signal: 6", 5),
        ("dies serving plainly", "signal: 6", 1),
        ("counts more at times", at_times, 5),
    ] {
        fails_with(contender, reason)?;
        let of = RUN.0.rows.iter().filter(|row| row.contender == contender);
        let failed = of.filter(|row| row.measured().is_none()).count();
        // On a busy machine its group was done again, and what it counted before it
        // died is not known.
        let is_unknown = is_repeated() && failed == 5;
        check(failed == rows || is_unknown, || {
            format!("{contender}: {failed} rows")
        })?;
    }
    Ok(())
}

/// Whether groups were done again in the run, since others used the machine.
fn is_repeated() -> bool {
    RUN.0.header.log.iter().any(|round| round.repeated > 0)
}

fn what_a_window_left_unanswered_is_said() -> Result<(), Failed> {
    let output = program(&["served: serves", "--brief"]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = "served: serves, throughput: 8 requests failed, \
                12 were made late";
    check(table.contains(said), || table.clone())?;
    check(!table.contains("plainly, throughput:"), || table.clone())?;
    check(table.contains("50000 /s"), || table.clone())
}

/// A claim about windows has a floor as well, and so has one about what is taken
/// apart.
fn each_kind_in_a_group_has_a_twin() -> Result<(), Failed> {
    let runs = Run::parse_all(&OUTPUT.0).map_err(|error| error.to_string())?;
    let rows = || runs.iter().flat_map(|run| &run.rows);
    for (twin, points) in [("serves", 4), ("on its own", 2), ("vectors", 2)] {
        let is_twin = |row: &&Row| row.twin_of.as_deref() == Some(twin);
        let row = rows().find(is_twin).ok_or_else(|| twin.to_owned())?;
        if let Outcome::Measured(measured) = &row.outcome {
            check(measured.points.len() == points, || format!("{row:?}"))?;
        } else {
            check(cfg!(not(target_os = "linux")), || format!("{row:?}"))?;
        }
    }
    let is_read = |row: &&Row| row.twin_of.as_deref() == Some("finds");
    check(rows().find(is_read).is_none(), || "a twin of readings".to_owned())
}

/// Alone in a run, so that nothing else ends the process of its rounds.
fn what_is_taken_apart_costs_no_other_cell_anything() -> Result<(), Failed> {
    let output = program(&["apart: ", "--json", "--brief"]);
    let (run, _) = run_in(&output)?;
    let row = |contender: &str, quantity: &str| {
        let is_it =
            |r: &&Row| r.contender == contender && r.quantity == quantity;
        let row = run.rows.iter().find(is_it);
        row.ok_or_else(|| format!("no {quantity} of {contender}"))
    };
    let points = |contender: &str, quantity: &str| {
        Ok::<_, Failed>(row(contender, quantity)?.figures()?.points.clone())
    };
    let timed = points("in one process", "total time")?;
    let (first, second) = timed.split_at(6);
    let same = |of: &[f64]| of.iter().all(|&time| time == of[0]);
    let right = second.len() == 6 && same(first) && same(second);
    check(right && first[0] != second[0], || format!("{timed:?}"))?;
    let own = row("on its own", "reached")?;
    check(turns(own)? == [0, 6], || format!("{own:?}"))?;
    let own = points("on its own", "moves per process")?;
    let ids = [own[0] + 1.0, own[1] + 1.0, first[0], second[0]];
    let differ = (1..4).all(|place| !ids[..place].contains(&ids[place]));
    check(own.len() == 2 && differ, || format!("{ids:?}"))?;
    check(points("leaks", "reached")? == [0.0; 2], || "it stays".to_owned())?;
    check(points("finds", "reached")? == [0.0; 2], || "it spreads".to_owned())?;
    for (contender, reason) in [
        ("aborts apart", "signal: 6"),
        ("hangs apart", "gave no answer within 0.3 s"),
    ] {
        match &row(contender, "reached")?.outcome {
            Outcome::Failed(found) if found.contains(reason) => {}
            other => return Err(format!("{contender}: {other:?}").into()),
        }
    }
    Ok(())
}

fn what_a_unit_adds_is_the_slope_of_a_line() -> Result<(), Failed> {
    fails_with("two points", "too few points for a line")?;
    fails_with("falls", "make a line that falls")?;
    let row = row("vectors");
    if cfg!(not(target_os = "linux")) {
        return fails_with("vectors", "no memory here");
    }
    let measured = row.figures()?;
    check(turns(row)? == [0, 6], || format!("{row:?}"))?;
    // A vector, and what its place among the others takes.
    let bytes = VECTOR as f64..VECTOR as f64 * 1.05;
    let right = measured.points.iter().all(|slope| bytes.contains(slope));
    check(right, || format!("{row:?}"))?;
    let fit = measured.fit.as_ref().ok_or("no fit")?;
    let units: Vec<f64> = fit.points.iter().map(|point| point.0).collect();
    let expected = [500.0, 1000.0, 2000.0, 500.0, 1000.0, 2000.0];
    check(units == expected, || format!("{fit:?}"))?;
    let interval = (fit.low, fit.slope, fit.high);
    let expected = (measured.low, measured.estimate, measured.high);
    check(interval == expected, || format!("{fit:?}"))
}

/// The time budget ends what can never be reached.
fn a_part_of_an_operation_and_what_it_takes_beyond_a_wait_are_rows(
) -> Result<(), Failed> {
    let spawn = figures("spawns", "time to spawn")?;
    check(spawn.iter().all(|time| *time == 1_000.0), || format!("{spawn:?}"))?;
    let total = figures("waits", "total time")?;
    let beyond = row_of("waits", "time per unit")?;
    check(beyond.difference, || "no difference".to_owned())?;
    let beyond = figures("waits", "time per unit")?;
    let is_rest = |(total, beyond): (&f64, &f64)| {
        let rest = (total - 500_000.0) / 10.0;
        (rest - beyond).abs() <= 1e-4 * rest.abs()
    };
    let all = total.iter().zip(&beyond).all(is_rest);
    check(all, || format!("{total:?}, {beyond:?}"))?;
    let beyond = figures("reads", "time per unit")?;
    check(beyond == [70.0; 2], || format!("{beyond:?}"))
}

fn precision_is_reached_or_the_budget_spent() -> Result<(), Failed> {
    let run = |precision, budget| {
        let arguments = ["sleeps", "--json", "--brief", "--precision"];
        let output = program(
            &[&arguments[..], &[precision, "--budget", budget]].concat(),
        );
        run_in(&output)
    };
    let (coarse, said) = run("100%", "10m")?;
    check(
        said.contains(
            "every interval of this run's own visits is within 100 %",
        ),
        || said.clone(),
    )?;
    // As many fresh processes as were planned say whether that holds.
    check(coarse.header.processes == 4, || said.clone())?;
    let again = "1 of 1 times were found again, within 100 %, by 2 fresh";
    check(said.contains(again), || said.clone())?;
    let began = Instant::now();
    let (fine, said) = run("0.0001%", "4s")?;
    let took = began.elapsed();
    check(said.contains("the time of 4s is spent"), || said.clone())?;
    // On a busy machine the two planned processes take so long that a third one
    // does not fit.
    let a_third_fits = took.mul_f64(1.5) <= Duration::from_secs(4);
    let has_gone_on = fine.header.processes > 2;
    check(has_gone_on || !a_third_fits, || format!("{took:?}: {said}"))?;
    let points = fine.rows[0].figures()?.points.len();
    check(points == fine.header.processes * 6, || format!("{points} points"))
}

/// Others keep every core busy: groups are visited again, and the header says so.
fn a_disturbed_round_is_done_again() -> Result<(), Failed> {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: the machine's load is known on Linux only");
        return Ok(());
    }
    let cores = available_parallelism().map_or(1, usize::from);
    let spin =
        |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
    let mut others = (0..cores).map(spin).collect::<Result<Vec<_>, _>>()?;
    let output = program(&["sleeps", "--json", "--brief"]);
    for other in &mut others {
        other.kill()?;
        other.wait()?;
    }
    let header = run_in(&output)?.0.header;
    check(header.repeated() == 3, || format!("{header:?}"))?;
    check(header.is_disturbed(), || format!("{header:?}"))?;
    let loaded = header.log.iter().all(|round| round.load > 0.05);
    check(loaded, || format!("{header:?}"))
}

/// The child reads its requests from the parent; when that is gone, so is the child.
fn a_child_does_not_outlive_its_parent() -> Result<(), Failed> {
    let this = std::env::current_exe().expect("this test has a path");
    let child = Command::new(this)
        .env(PROGRAM, "1")
        .arg("--child")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut child = child.expect("this test can be started");
    let outcome = ends_with_its_input(&mut child);
    drop(child.kill());
    child.wait()?;
    outcome
}

fn ends_with_its_input(child: &mut Child) -> Result<(), Failed> {
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let request = r#"{"cell":"misbehaving: hangs","is_twin":false,"ask":{"Calibrate":{"sample":{"secs":0,"nanos":1000000}}}}"#;
    writeln!(stdin, "{request}")?;
    std::thread::sleep(Duration::from_millis(200));
    let hangs = child.try_wait()?.is_none();
    check(hangs, || "it does not hang".to_owned())?;
    drop(stdin);
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("it went on for ten seconds".into())
}

/// Even when it is the tracer that is killed.
fn a_traced_child_does_not_outlive_a_killed_tracer() -> Result<(), Failed> {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: calls are traced on Linux only");
        return Ok(());
    }
    let this = std::env::current_exe().expect("this test has a path");
    let mut tracer = Command::new(this)
        .env(PROGRAM, "1")
        .arg("--tracer")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // The child shares these, so its end closes them.
    let (stdin, stdout) = (tracer.stdin.take(), tracer.stdout.take());
    let mut stdin = stdin.expect("stdin is piped");
    let mut stdout = stdout.expect("stdout is piped");
    let request = r#"{"cell":"misbehaving: hangs","is_twin":false,"ask":{"Trace":{"operations":1}}}"#;
    writeln!(stdin, "{request}")?;
    std::thread::sleep(Duration::from_millis(300));
    let traces = tracer.try_wait()?.is_none();
    tracer.kill()?;
    tracer.wait()?;
    check(traces, || "it did not trace".to_owned())?;
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let read = stdout.read_to_end(&mut Vec::new());
        drop(ended.send(read));
    });
    // Its input stays open, so that it does not end for want of that.
    let outcome = end.recv_timeout(Duration::from_secs(10));
    drop(stdin);
    check(outcome.is_ok(), || "the child lives on".to_owned())
}

/// `cargo book measure` starts it tied, so that it ends with it.
fn a_tied_program_ends_with_its_input() -> Result<(), Failed> {
    let this = std::env::current_exe().expect("this test has a path");
    let child = Command::new(this)
        .env(PROGRAM, "1")
        .args(["--json", "--tied"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("this test can be started");
    std::thread::sleep(Duration::from_millis(300));
    let begun = child.try_wait()?.is_none();
    drop(child.stdin.take());
    std::thread::sleep(Duration::from_millis(500));
    let ended = child.try_wait()?.is_some();
    drop(child.kill());
    child.wait()?;
    check(begun && ended, || format!("begun {begun}, ended {ended}"))
}

fn main() -> ExitCode {
    if std::env::var_os(PROGRAM).is_some() {
        return harness::main(chapter());
    }
    let mut arguments = Arguments::from_args();
    // A round that others disturb is done again, so two at once take longer.
    arguments.test_threads.get_or_insert(1);
    macro_rules! trials {
        ($($test:path),* $(,)?) => {
            vec![$(Trial::test(stringify!($test), || $test())),*]
        };
    }
    let mut trials = trials![
        a_cell_that_behaves_has_a_point_for_every_visit,
        quick_leaves_out_what_is_for_full,
        a_cell_that_dies_midway_costs_no_other_cell_a_point,
        the_header_says_what_was_measured,
        a_group_has_a_twin,
        failures_are_said_on_the_way,
        a_filter_that_fits_nothing_is_an_error,
        what_only_full_measures_is_marked_and_said,
        a_machine_s_name_cannot_leave_the_data_directory,
        verify_names_what_is_wrong,
        what_a_workload_does_is_counted,
        system_calls_are_counted_by_name,
        a_traced_child_does_not_outlive_a_killed_tracer,
        a_cell_in_company_is_timed_and_not_counted,
        a_cell_that_is_left_out_is_timed_and_not_counted,
        a_state_lives_for_one_visit,
        what_is_beyond_the_baseline_is_a_row,
        every_runtime_runs_or_says_why_not,
        a_cell_runs_on_the_cores_that_it_asks_for,
        a_runtime_has_all_cores_whoever_starts_it,
        one_core_is_enough_for_all_but_neighbours,
        without_room_for_criterion_s_files_there_are_reasons,
        without_a_place_for_temporary_files_there_are_reasons,
        readings_are_rows_of_each_quantity,
        a_window_is_visited_there_and_back_in_each_process,
        a_window_that_fails_is_a_row,
        what_a_window_left_unanswered_is_said,
        each_kind_in_a_group_has_a_twin,
        what_is_taken_apart_costs_no_other_cell_anything,
        what_a_unit_adds_is_the_slope_of_a_line,
        a_part_of_an_operation_and_what_it_takes_beyond_a_wait_are_rows,
        precision_is_reached_or_the_budget_spent,
        a_disturbed_round_is_done_again,
        a_child_does_not_outlive_its_parent,
        a_tied_program_ends_with_its_input,
    ];
    for (contender, reason) in [
        ("panics", "panicked: out of cheese"),
        ("aborts", "signal: 6"),
        ("hangs", "gave no answer within 2 s"),
        ("is wrong", "returned 41, the right answer is 42"),
    ] {
        trials.push(Trial::test(
            format!("a cell that {contender} is a row with the reason"),
            move || fails_with(contender, reason),
        ));
    }
    trials.push(Trial::test("a cell that is wrong at times is known", || {
        let different =
            fails_with("is wrong at times", "returned different answers");
        // On a machine so busy that one operation fills a sample, the wrong
        // answer may be the only one of its batch.
        different.or_else(|_| fails_with("is wrong at times", "returned 41"))
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}
