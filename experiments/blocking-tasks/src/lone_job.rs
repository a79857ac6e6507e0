//! Experiment `lone-job`: a thread hands over one short job, waits for its
//! result, and has nothing else to do until the next job is due. What does a
//! job cost under little load, and how long does the thread wait?
//!
//! The measurements change one parameter at a time, starting from 1,000 jobs
//! of 10 us per second. In the baseline, the thread does the job itself; any
//! time beyond that is the price of handing over.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};

mod contenders;
mod job;
mod load;

use crate::executors::WORKERS;
use contenders::Serve;
use load::Load;

const RATE: i64 = 1_000;
const OTHER_RATES: [i64; 3] = [10, 100, 10_000];

const WINDOW: Duration = Duration::from_millis(250);

/// Long enough for ten jobs at the lowest rate.
const LONG_WINDOW: Duration = Duration::from_secs(1);

pub(crate) fn experiment() -> Experiment {
    let centre = CONTENDERS.iter().map(|contender| {
        let cell = contender.cell(RATE);
        let cell = if contender.name == "tokio multi-thread" {
            cell.twinned()
        } else {
            cell
        };
        if contender.is_quick {
            cell
        } else {
            cell.full_only()
        }
    });
    let beside = OTHER_RATES.into_iter().flat_map(|rate| {
        let cell = move |it: &Contender| it.cell(rate).full_only().in_sweep();
        CONTENDERS.iter().map(cell)
    });
    Experiment::new("lone-job", load::CPU_TIME, "baseline")
        .cells(centre)
        .cells(beside)
}

struct Contender {
    name: &'static str,
    /// The value of the parameter `by`: how a job reaches the thread that
    /// does it.
    by: &'static str,
    threads: usize,
    is_quick: bool,
    serve: Serve,
}

const CONTENDERS: [Contender; 11] = [
    Contender::new("baseline", "a call", 0, contenders::caller).quick(),
    Contender::new("std::thread", "spawn", 1, contenders::thread_per_job),
    Contender::pool("thread pool", "a channel", contenders::plain_pool).quick(),
    Contender::pool("rayon", "spawn", contenders::rayon_spawn).quick(),
    Contender::pool("rayon", "install", contenders::rayon_install),
    Contender::pool(
        "tokio spawn_blocking",
        "spawn",
        contenders::tokio_blocking,
    )
    .quick(),
    Contender::pool("tokio multi-thread", "spawn", contenders::tokio_workers)
        .quick(),
    Contender::new(
        "tokio current_thread",
        "spawn",
        1,
        contenders::tokio_one_thread,
    ),
    Contender::new("smol", "unblock", 1, contenders::smol_unblock),
    Contender::new("glommio", "a channel", 1, contenders::glommio_pinned),
    Contender::new("monoio io_uring", "a socket", 1, contenders::monoio),
];

impl Contender {
    const fn new(
        name: &'static str,
        by: &'static str,
        threads: usize,
        serve: Serve,
    ) -> Contender {
        Contender { name, by, threads, is_quick: false, serve }
    }

    const fn pool(
        name: &'static str,
        by: &'static str,
        serve: Serve,
    ) -> Contender {
        Contender::new(name, by, WORKERS, serve)
    }

    const fn quick(self) -> Contender {
        Contender { is_quick: true, ..self }
    }

    fn cell(&self, rate: i64) -> Cell {
        let serve = self.serve;
        let length = if rate < 100 { LONG_WINDOW } else { WINDOW };
        let take = move |window| serve(Load { rate: rate as f64, window });
        let shortest = Duration::from_micros(1);
        Cell::window(self.name, length, take)
            .also(&load::ALSO)
            .parameter("by", self.by)
            .parameter("workers", self.threads as i64)
            .parameter("rate", rate)
            .parameter("work_ns", job::TIME.as_nanos() as i64)
            .group(&format!("{rate} a second"))
            .needs(|| room_for_cores(WORKERS))
            // If the runtime can't be started, the results give the reason
            // instead of a figure.
            .needs(move || {
                serve(Load { rate: 1e4, window: shortest }).map(drop)
            })
    }
}
