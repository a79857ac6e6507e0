//! Experiment `glommio-timer`: measures Glommio's delays as in `long-poll`,
//! for several intervals at which its timer asks tasks to yield
//! (`preempt_timer`, 100 ms by default).

use std::os::fd::{FromRawFd, IntoRawFd};
use std::thread;
use std::time::{Duration, Instant};

use futures_lite::future::poll_once;
use glommio::net::TcpStream;
use glommio::timer::{sleep, Timer};
use glommio::{
    executor, spawn_local, spawn_local_into, yield_if_needed, Latency,
    LocalExecutorBuilder, Placement, Shares, TaskQueueHandle,
};
use harness::{Cell, Experiment};
use runtimes::glommio::UNBOUND;

use super::job::Job;
use super::tasks::{tick, work, Tasks};
use super::visit::Serve;
use super::{Contender, CENTRE};
use crate::connection::{echo, OfFutures};

/// The maximum latency to request for the ticker and echo tasks if they have
/// a separate queue.
const SOON: Latency = Latency::Matters(Duration::from_micros(100));

/// The interval between timers that are set in advance to wake Glommio.
/// Glommio 0.9 goes to sleep despite ready tasks if it should yield before it
/// has run any task: `run_task_queues` in executor/mod.rs then returns false.
/// Only the next timer wakes it, and the task that would set that timer may
/// be one of the ready tasks.
const AWAKE_AGAIN: Duration = Duration::from_millis(10);

/// How long these timers keep firing: longer than any measurement lasts.
const AWAKE: Duration = Duration::from_secs(30);

/// The ticker and echo tasks have a separate queue with a latency
/// requirement. The computing tasks check after each part of a job whether to
/// yield.
const ASKS: &str = "asks";

/// The ticker and echo tasks have a separate queue. The computing tasks never
/// check whether to yield.
const QUEUE: &str = "queue";

/// All tasks are in one queue, and the computing tasks check whether to
/// yield.
const ASKS_IN_ONE_QUEUE: &str = "asks in one queue";

/// The settings: the timer's interval in microseconds, the name of the task
/// layout, and the function that runs the tasks.
const SETTINGS: [(u64, &str, Serve); 6] = [
    (100_000, ASKS, asks::<100_000>),
    (10_000, ASKS, asks::<10_000>),
    (A_MILLISECOND, ASKS, asks::<A_MILLISECOND>),
    (100, ASKS, asks::<100>),
    (A_MILLISECOND, QUEUE, queue::<A_MILLISECOND>),
    (A_MILLISECOND, ASKS_IN_ONE_QUEUE, asks_in_one_queue::<A_MILLISECOND>),
];
const A_MILLISECOND: u64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    let cells = SETTINGS.map(|(micros, remedy, serve)| {
        let cell = cell(micros, remedy, serve);
        match (micros, remedy) {
            (A_MILLISECOND, ASKS) => cell.twinned(),
            _ => cell.full_only(),
        }
    });
    Experiment::new("glommio-timer", "latency p50", UNBOUND.name()).cells(cells)
}

fn cell(micros: u64, remedy: &'static str, serve: Serve) -> Cell {
    let start = || UNBOUND.start();
    let name = UNBOUND.name();
    Contender { name, remedy, workers: 1, serve, start }
        .cell(CENTRE)
        .parameter("preempt_timer_ns", micros as i64 * 1_000)
}

fn asks<const MICROS: u64>(tasks: Tasks) -> Result<(), String> {
    serve(tasks, MICROS, SOON, true)
}

fn queue<const MICROS: u64>(tasks: Tasks) -> Result<(), String> {
    serve(tasks, MICROS, SOON, false)
}

fn asks_in_one_queue<const MICROS: u64>(tasks: Tasks) -> Result<(), String> {
    serve(tasks, MICROS, Latency::NotImportant, true)
}

/// Runs the tasks on a new executor. A queue lives as long as its executor,
/// so an executor can't be reused.
fn serve(
    tasks: Tasks,
    micros: u64,
    latency: Latency,
    asks: bool,
) -> Result<(), String> {
    let run = || {
        let executor = LocalExecutorBuilder::new(Placement::Unbound)
            .preempt_timer(Duration::from_micros(micros))
            .make();
        let executor = executor.map_err(runtimes::no_ring)?;
        executor.run(all(tasks, latency, asks));
        Ok(())
    };
    let ran = thread::scope(|scope| scope.spawn(run).join());
    ran.expect("no task panics")
}

async fn all(tasks: Tasks, latency: Latency, asks: bool) {
    let Tasks { units, ticker, connection } = tasks;
    let (mut timers, mut due) = (Vec::new(), Duration::ZERO);
    while due < AWAKE {
        due += AWAKE_AGAIN;
        let mut timer = Timer::new(due);
        // The first poll of a timer arms it. When the timer fires, Glommio
        // wakes, even though no task waits for the timer.
        poll_once(&mut timer).await;
        timers.push(timer);
    }
    let queue = match latency {
        Latency::NotImportant => TaskQueueHandle::default(),
        soon => executor().create_task_queue(Shares::default(), soon, "soon"),
    };
    let into = "the queue is there";
    // SAFETY: the descriptor is an open socket, owned by nothing else.
    let connection =
        unsafe { TcpStream::from_raw_fd(connection.into_raw_fd()) };
    let ticker = tick(ticker, |due| {
        sleep(due.saturating_duration_since(Instant::now()))
    });
    let mut tasks = vec![
        spawn_local_into(echo(OfFutures(connection)), queue).expect(into),
        spawn_local_into(ticker, queue).expect(into),
    ];
    let done = move |job| done(job, asks);
    let give_way = || async { executor().yield_now().await };
    let unit = |unit| spawn_local(work(unit, done, give_way));
    tasks.extend(units.into_iter().map(unit));
    for task in tasks {
        task.await;
    }
}

/// Does a job. If `asks` is true, yields between parts of the job whenever
/// Glommio wants it to.
async fn done(job: Job, asks: bool) -> u64 {
    if !asks {
        return job.run();
    }
    let mut done = 0;
    for part in job.parts() {
        done += part.run();
        yield_if_needed().await;
    }
    done
}
