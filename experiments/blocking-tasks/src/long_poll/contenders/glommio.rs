//! Glommio, with one thread. Its tasks can have separate queues, and a queue
//! can require low latency.

use std::future::Future;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::thread;
use std::time::{Duration, Instant};

use glommio::net::TcpStream;
use glommio::timer::sleep;
use glommio::{
    executor, spawn_local_into, yield_if_needed, Latency, LocalExecutorBuilder,
    Placement, Shares, TaskQueueHandle,
};

use crate::connection::{echo, OfFutures, PATIENCE};
use crate::long_poll::job::Job;
use crate::long_poll::tasks::{tick, work, Tasks};

/// The maximum latency to request for the ticker and echo tasks if they have
/// a separate queue.
const SOON: Latency = Latency::Matters(Duration::from_micros(100));

/// The interval between timers that are set in advance to wake Glommio.
/// Glommio 0.9 may go to sleep despite ready tasks, if it should yield just
/// when it would run them (`LocalExecutor::run_task_queues` then returns the
/// same as without tasks). Only the next timer wakes it. The task that would
/// set that timer could be one of the ready tasks, so all timers are set at
/// the start.
const AWAKE_AGAIN: Duration = Duration::from_millis(10);

/// How long these timers keep firing: longer than even a failing measurement
/// takes.
const AWAKE: Duration = PATIENCE.saturating_mul(2);

/// Puts all tasks in one queue, and runs each job in one poll.
pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    serve(tasks, Latency::NotImportant, |job| async move { job.run() })
}

/// Runs the ticker and echo tasks in a separate queue that requires low
/// latency. The computing tasks never check whether to yield.
pub(crate) fn queue(tasks: Tasks) -> Result<(), String> {
    serve(tasks, SOON, |job| async move { job.run() })
}

/// Runs the ticker and echo tasks in a separate queue. The computing tasks
/// check after each part of a job whether to yield.
pub(crate) fn asks(tasks: Tasks) -> Result<(), String> {
    serve(tasks, SOON, |job| async move {
        let mut done = 0;
        for part in job.parts() {
            done += part.run();
            yield_if_needed().await;
        }
        done
    })
}

fn serve<Done>(
    tasks: Tasks,
    latency: Latency,
    done: fn(Job) -> Done,
) -> Result<(), String>
where
    Done: Future<Output = u64> + 'static,
{
    let run = || {
        let executor = LocalExecutorBuilder::new(Placement::Unbound).make();
        let executor = executor.map_err(runtimes::no_ring)?;
        executor.run(all(tasks, latency, done));
        Ok(())
    };
    // Each measurement has a separate executor, because a queue lives as long
    // as its executor and affects how often tasks have to yield.
    let ran = thread::scope(|scope| scope.spawn(run).join());
    ran.expect("no task panics")
}

async fn all<Done>(tasks: Tasks, latency: Latency, done: fn(Job) -> Done)
where
    Done: Future<Output = u64> + 'static,
{
    let Tasks { units, ticker, connection } = tasks;
    let spans = (AWAKE.as_millis() / AWAKE_AGAIN.as_millis()) as u32;
    let timer = |span| glommio::spawn_local(sleep(span * AWAKE_AGAIN));
    let timers: Vec<_> = (1..=spans).map(timer).collect();
    // Yielding here lets all timers be set before any queue requires low
    // latency.
    executor().yield_now().await;
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
    let give_way = || async { executor().yield_now().await };
    let unit = |unit| glommio::spawn_local(work(unit, done, give_way));
    tasks.extend(units.into_iter().map(unit));
    for task in tasks {
        task.await;
    }
    for timer in timers {
        timer.cancel().await;
    }
}
