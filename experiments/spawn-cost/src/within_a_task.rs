//! Experiment `within-a-task`: the cost of awaiting many futures, either
//! within one task (with `join!`, for example) or in separate tasks.
//!
//! The benchmarks form a star: at its centre, ten futures wait for answers
//! that another task on the same worker gives one by one.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{mpsc, Arc};
use std::time::Duration;

use harness::work::{rounds_in, work};
use harness::{
    room_for_files, room_for_threads, Body, Cell, Counter, Experiment, Held,
};
use measurement::Source;
use runtimes::tokio::{MULTI_THREAD, ONE_WORKER};
use runtimes::Runtime;

use crate::busy;

mod answers;
mod combinators;
mod hazard;
mod sockets;
mod ways;

use answers::{answered, containing, polled, Answers};
use sockets::Connections;
use ways::{
    BehindASemaphore, Buffered, FullJoinSet, JoinAll, JoinSet, JoinTen,
    JoinTwo, OneAfterAnother, Spawned, Unordered, Way,
};

/// The numbers of futures: `CENTRE` in the central benchmark, the others in
/// further benchmarks.
const FEW: u64 = 2;
const CENTRE: u64 = 10;
const HUNDRED: u64 = 100;
const MANY: u64 = 1_000;

/// How many of a thousand futures may be in flight at once, in benchmarks
/// with a limit.
const AT_ONCE: u64 = 50;

/// How long futures compute, in the benchmarks in which they compute. Further
/// times follow for ten and for two futures.
const WORK: Duration = Duration::from_micros(10);
const OF_TEN: [Duration; 3] = [
    Duration::from_micros(1),
    Duration::from_micros(3),
    Duration::from_micros(100),
];
const OF_TWO: [Duration; 2] =
    [Duration::from_micros(30), Duration::from_micros(100)];

/// Returns the benchmarks for all ways to await `$units` futures. `$cell`
/// creates each benchmark.
macro_rules! each_way {
    ($units:expr, $cell:ident($($more:expr),*)) => {{
        let mut cells = vec![
            $cell(OneAfterAnother, $units, $($more),*),
            $cell(JoinAll, $units, $($more),*),
            $cell(Unordered, $units, $($more),*),
            $cell(JoinSet, $units, $($more),*),
            $cell(Spawned, $units, $($more),*),
        ];
        match $units {
            FEW => cells.push($cell(JoinTwo, $units, $($more),*)),
            CENTRE => cells.push($cell(JoinTen, $units, $($more),*)),
            _ => {}
        }
        cells
    }};
}

pub(crate) fn experiment() -> Experiment {
    use Answers::{OneByOne, Together};
    use Workers::{One, PerCore};
    let centre = [
        each_way!(CENTRE, answers_to(OneByOne)),
        each_way!(CENTRE, working(WORK)),
        vec![threads_that_work(WORK, CENTRE)],
    ];
    let beside = [
        each_way!(FEW, answers_to(OneByOne)),
        each_way!(HUNDRED, answers_to(OneByOne)),
        each_way!(MANY, answers_to(OneByOne)),
        each_way!(CENTRE, answers_to(Together)),
        each_way!(MANY, answers_to(Together)),
        each_way!(CENTRE, ready()),
        each_way!(MANY, ready()),
        vec![threads_that_are_ready()],
        each_way!(CENTRE, asking(One)),
        each_way!(CENTRE, asking(PerCore)),
        each_way!(MANY, asking(One)),
        vec![
            asking(Buffered(AT_ONCE), MANY, One),
            asking(FullJoinSet(AT_ONCE), MANY, One),
            asking(BehindASemaphore(AT_ONCE), MANY, One),
        ],
        vec![threads_that_ask(CENTRE), threads_that_ask(MANY)],
        each_way!(FEW, working(WORK)),
        each_way!(HUNDRED, working(WORK)),
        each_way!(MANY, working(WORK)),
        each_way!(CENTRE, working(OF_TEN[0])),
        each_way!(CENTRE, working(OF_TEN[1])),
        each_way!(CENTRE, working(OF_TEN[2])),
        each_way!(FEW, working(OF_TWO[0])),
        each_way!(FEW, working(OF_TWO[1])),
        each_way!(CENTRE, counts(OneByOne)),
        each_way!(MANY, counts(OneByOne)),
        each_way!(CENTRE, counts(Together)),
        each_way!(MANY, counts(Together)),
    ];
    let beside = beside.into_iter().flatten();
    Experiment::new("within-a-task", "time per future", "baseline")
        .counting(&[
            Counter::Allocations,
            Counter::Bytes,
            Counter::ContextSwitches,
            Counter::CpuTime,
        ])
        .cells(centre.into_iter().flatten())
        .cells(beside.map(|cell| cell.in_sweep().full_only()))
        .cells(late().map(Cell::full_only))
}

#[derive(Clone, Copy)]
enum Workers {
    One,
    PerCore,
}

impl Workers {
    fn runtime(self) -> Runtime {
        match self {
            Workers::One => ONE_WORKER,
            Workers::PerCore => MULTI_THREAD,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Workers::One => "one",
            Workers::PerCore => "one per core",
        }
    }
}

struct Setting {
    kernel: &'static str,
    units: u64,
    in_flight: u64,
    workers: Workers,
    work: Duration,
    arm: &'static str,
}

impl Setting {
    fn of(kernel: &'static str, units: u64, workers: Workers) -> Setting {
        let work = Duration::ZERO;
        Setting { kernel, units, in_flight: units, workers, work, arm: "ours" }
    }

    fn of_way(self, way: impl Way) -> Setting {
        Setting { in_flight: way.in_flight(self.units), ..self }
    }

    fn timed(self, contender: &str, body: Body) -> Cell {
        let units = self.units;
        let cell = Cell::new(contender, (0..units).sum(), body).per(units);
        self.state(cell)
    }

    fn state(self, cell: Cell) -> Cell {
        let Setting { kernel, units, in_flight, workers, work, arm } = self;
        let (workers, work) = (workers.name(), work.as_nanos());
        cell.parameter("kernel", kernel)
            .parameter("units", units as i64)
            .parameter("in_flight", in_flight as i64)
            .parameter("workers", workers)
            .parameter("work_ns", work as i64)
            .parameter("arm", arm)
            .group(&format!("{kernel}, {units}, {workers}, {work}"))
    }
}

fn name_of<W: Way>(_: W) -> &'static str {
    W::NAME
}

fn answers_to(way: impl Way, units: u64, answers: Answers) -> Cell {
    let answered = move || answered(way, units, answers);
    Setting::of(answers.kernel(), units, Workers::One)
        .of_way(way)
        .timed(name_of(way), Body::task(ONE_WORKER, answered))
}

fn ready(way: impl Way, units: u64) -> Cell {
    let futures = move || {
        let ready = |id| async move { black_box(id) };
        way.sum((0..units).map(ready))
    };
    Setting::of("ready", units, Workers::One)
        .of_way(way)
        .timed(name_of(way), Body::task(ONE_WORKER, futures))
}

fn threads_that_are_ready() -> Cell {
    let body = Body::here(|| || busy::threads(CENTRE, black_box));
    Setting::of("ready", CENTRE, Workers::One)
        .timed(runtimes::std_thread::NAME, body)
}

fn working(way: impl Way, units: u64, time: Duration) -> Cell {
    let futures = move || {
        let rounds = rounds_in(time);
        way.sum((0..units).map(move |id| async move {
            work(rounds);
            id
        }))
    };
    let setting = Setting::of("work", units, Workers::PerCore).of_way(way);
    Setting { work: time, ..setting }
        .timed(name_of(way), Body::task(MULTI_THREAD, futures))
}

fn threads_that_work(time: Duration, units: u64) -> Cell {
    let unit = move || busy::unit(rounds_in(time));
    let body = Body::here(move || move || busy::threads(units, unit()));
    let setting = Setting::of("work", units, Workers::PerCore);
    Setting { work: time, ..setting }.timed(runtimes::std_thread::NAME, body)
}

fn asking(way: impl Way, units: u64, workers: Workers) -> Cell {
    let body = Body::task_with(
        workers.runtime(),
        move || sockets::for_tasks(units),
        move |connections| async move {
            let sum = connections.ask(way).await;
            (connections, sum)
        },
        |connections| async { connections.close() },
    );
    Setting::of("socket", units, workers)
        .of_way(way)
        .timed(name_of(way), body)
        .needs(move || room_for_files(2 * units))
}

fn threads_that_ask(units: u64) -> Cell {
    let body = Body::here(move || {
        let connections =
            Held::new(sockets::for_threads(units), Connections::close);
        move || sockets::ask_in_threads(&connections)
    });
    Setting::of("socket", units, Workers::One)
        .timed(runtimes::std_thread::NAME, body.for_each_visit())
        .needs(move || room_for_files(2 * units))
        .needs(move || room_for_threads(units))
}

/// Returns a benchmark that counts how often each future is polled, and
/// records the size of the future that contains the futures or their handles.
fn counts(way: impl Way, units: u64, answers: Answers) -> Cell {
    let take = move || {
        let polls = Arc::new(AtomicU64::new(0));
        let (send, receive) = mpsc::channel();
        let counted = Arc::clone(&polls);
        ONE_WORKER.start()?;
        ONE_WORKER.run(Box::pin(async move {
            let sum = polled(way, units, answers, counted).await;
            // Sending can't fail: the receiver is still there.
            let _ = send.send(sum);
        }));
        let sum = receive.recv().map_err(|error| error.to_string())?;
        if sum != (0..units).sum::<u64>() {
            return Err(format!("they return {sum}"));
        }
        let polls = polls.load(Relaxed) as f64 / units as f64;
        Ok(vec![polls, containing(way, units) as f64])
    };
    let quantities = ["polls per future", "bytes per containing future"];
    let cell = Cell::readings(name_of(way), Source::Counter, &quantities, take);
    let setting =
        Setting::of(answers.kernel(), units, Workers::One).of_way(way);
    Setting { arm: "counted", ..setting }.state(cell)
}

/// Returns the benchmarks in which one of ten futures computes for a long
/// time.
fn late() -> impl Iterator<Item = Cell> {
    let state = |(cell, arm)| {
        let setting = Setting::of("one is long", CENTRE, Workers::PerCore);
        Setting { work: hazard::LONG, arm, ..setting }.state(cell)
    };
    [
        (hazard::within(JoinTen), "ours"),
        (hazard::within(Unordered), "ours"),
        (hazard::within(JoinSet), "ours"),
        (hazard::within(Spawned), "ours"),
        (hazard::threads(), "ours"),
        (hazard::apart(JoinTen), "spawned apart"),
    ]
    .into_iter()
    .map(state)
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;
    use tokio::task::yield_now;
    use tokio::time::sleep;

    use super::*;

    /// Returns how many of ten futures finish if the fourth panics when it is
    /// polled for the second time.
    fn done_beside_a_panic(way: impl Way) -> u64 {
        let runtime =
            Builder::new_current_thread().enable_time().build().unwrap();
        let done = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&done);
        let futures = (0..CENTRE).map(move |id| {
            let done = Arc::clone(&counted);
            async move {
                yield_now().await;
                assert_ne!(id, 3, "the fourth fails");
                sleep(Duration::from_millis(5)).await;
                done.fetch_add(1, Relaxed);
                id
            }
        });
        runtime.block_on(async {
            let task = tokio::spawn(way.sum(futures));
            assert!(task.await.unwrap_err().is_panic());
            sleep(Duration::from_millis(100)).await;
        });
        done.load(Relaxed)
    }

    #[test]
    fn a_panic_ends_the_others_but_not_tasks_that_nobody_aborts() {
        assert_eq!(done_beside_a_panic(OneAfterAnother), 3);
        assert_eq!(done_beside_a_panic(JoinTen), 0);
        assert_eq!(done_beside_a_panic(JoinAll), 0);
        assert_eq!(done_beside_a_panic(Unordered), 0);
        assert_eq!(done_beside_a_panic(Buffered(5)), 0);
        assert_eq!(done_beside_a_panic(JoinSet), 0);
        assert_eq!(done_beside_a_panic(FullJoinSet(5)), 0);
        assert_eq!(done_beside_a_panic(Spawned), 9);
        assert_eq!(done_beside_a_panic(BehindASemaphore(5)), 9);
    }

    fn polls_of(way: impl Way, units: u64, answers: Answers) -> u64 {
        let polls = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&polls);
        let (send, receive) = mpsc::channel();
        ONE_WORKER.run(Box::pin(async move {
            send.send(polled(way, units, answers, counted).await).unwrap();
        }));
        assert_eq!(receive.recv().unwrap(), (0..units).sum::<u64>());
        polls.load(Relaxed)
    }

    /// Each future is polled once at first. Then each wake-up polls either
    /// all futures that still wait or only the woken one.
    #[test]
    fn a_wake_up_polls_all_in_a_join_and_one_elsewhere() {
        use Answers::{OneByOne, Together};
        let all = 10 + (1..=10).sum::<u64>();
        assert_eq!(polls_of(JoinTen, 10, OneByOne), all);
        assert_eq!(polls_of(JoinAll, 10, OneByOne), all);
        assert_eq!(polls_of(JoinTen, 10, Together), 20);
        for units in [10, 1_000] {
            assert_eq!(polls_of(Unordered, units, OneByOne), 2 * units);
            assert_eq!(polls_of(Spawned, units, OneByOne), 2 * units);
            assert_eq!(polls_of(JoinSet, units, OneByOne), 2 * units);
        }
        assert_eq!(polls_of(JoinAll, 1_000, OneByOne), 2_000);
    }

    #[test]
    fn no_more_are_under_way_than_allowed() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let most = |way: &dyn Fn(Arc<AtomicU64>, Arc<AtomicU64>) -> u64| {
            let (now, most) = (Arc::default(), Arc::default());
            assert_eq!(way(now, Arc::clone(&most)), (0..100).sum::<u64>());
            most.load(Relaxed)
        };
        let futures = |now: Arc<AtomicU64>, most: Arc<AtomicU64>| {
            (0..100).map(move |id| {
                let (now, most) = (Arc::clone(&now), Arc::clone(&most));
                async move {
                    most.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
                    yield_now().await;
                    now.fetch_sub(1, Relaxed);
                    id
                }
            })
        };
        macro_rules! most_of {
            ($way:expr) => {
                most(&|now, most| {
                    runtime.block_on($way.sum(futures(now, most)))
                })
            };
        }
        assert_eq!(most_of!(Buffered(7)), 7);
        assert_eq!(most_of!(FullJoinSet(7)), 7);
        assert_eq!(most_of!(BehindASemaphore(7)), 7);
        assert_eq!(most_of!(Unordered), 100);
        assert_eq!(most_of!(OneAfterAnother), 1);
    }
}
