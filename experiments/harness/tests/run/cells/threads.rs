//! Test benchmarks in tasks and on several threads, and the cores on which
//! they run.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use harness::{Body, Cell, Experiment, Held, Placement, ToAsync};
use runtimes::monoio::EPOLL;
use runtimes::tokio::{LOCAL_SET, MULTI_THREAD, ONE_WORKER};
use runtimes::{LOCAL, MOVING};
use tokio::task::yield_now;

use super::{cores, passed, ANSWER};

/// Tasks that panic before other tasks of their runtimes run.
pub(crate) fn tasks() -> Experiment {
    async fn panics() -> u64 {
        panic!("out of cheese")
    }
    // Panics only after the other benchmarks of the same runtime have been
    // started.
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

/// Benchmarks that check that their state is the only one in the process.
pub(crate) fn staged() -> Experiment {
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
            // A value that isn't `Send`: a task that may move to another
            // thread couldn't hold it.
            || async { set_up() },
            |state| async move {
                yield_now().await;
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

/// Benchmarks whose threads work at the same moment. Benchmarks with the same
/// number of threads share those threads.
pub(crate) fn together() -> Experiment {
    let panics = Body::together(2, false, || {
        (
            |place| if place == 0 { panic!("out of cheese") } else { 1 },
            |sum| sum,
        )
    });
    let works_on = Body::together(2, false, || (|_| 1, |sum| sum));
    let at_once = Body::together(3, false, || {
        // The barrier can only be passed if all threads are working at once.
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

/// Benchmarks that return how many cores they may use.
pub(crate) fn placed() -> Experiment {
    let task = Body::task(MULTI_THREAD, || async {
        tokio::spawn(async { cores() }).await.expect("it returns")
    });
    // A runtime is started on all cores, even if the benchmark then runs on
    // one core.
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

/// Returns the number of different cores on which two pinned threads run.
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
