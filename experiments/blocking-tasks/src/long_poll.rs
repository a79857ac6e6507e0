//! Experiment `long-poll`: tasks that keep their worker busy run together
//! with a task that is due every millisecond and a task that answers on a
//! connection. How long must a poll be to delay these two, by how much, and
//! what helps?
//!
//! The measurements change one parameter at a time, starting from two units
//! (tasks that hold their worker) that compute for 10 ms in each poll.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};

mod contenders;
// This file is in `src` rather than in `src/long_poll`, because a change to
// any file in that directory makes the recorded data of `long-poll` stale.
#[cfg(target_os = "linux")]
#[path = "glommio_timer.rs"]
pub(crate) mod glommio_timer;
mod job;
mod load;
mod tasks;
mod visit;
mod window;

use crate::executors::WORKERS;
use contenders::{
    ours_noticing, rayon, smol, tokio_block_in_place, tokio_current_thread,
    tokio_multi_thread, tokio_spawn_blocking,
};
use job::Kind;
use visit::{Serve, Units};

/// The period during which messages are sent and latencies are recorded. It
/// lasts as long as two polls of [`VERY_LONG`].
const WINDOW: Duration = Duration::from_millis(200);

const VERY_LONG: Duration = Duration::from_millis(100);

/// The usual setting: one computing task per worker.
const CENTRE: Units = Units {
    count: WORKERS,
    kind: Kind::Computing,
    time: Duration::from_millis(10),
};

pub(crate) fn experiment() -> Experiment {
    let mut all = vec![PLAIN, YIELDS, BUDGET, CURRENT_THREAD];
    all.extend([SPAWN_BLOCKING, SEMAPHORE, BLOCK_IN_PLACE, RAYON]);
    all.extend([SMOL, SMOL_UNBLOCK]);
    all.extend(on_a_ring());
    let centre = all.iter().map(|contender| {
        let cell = contender.cell(CENTRE);
        match (contender.name, contender.remedy) {
            (name, "none") if name == PLAIN.name => cell.twinned(),
            // With only two jobs at a time, limiting them by a semaphore
            // makes no difference.
            (_, "semaphore") => cell.full_only(),
            // These are left out of quick runs, because other runtimes show
            // the same effect.
            (_, "budget" | "asks") => cell.full_only(),
            ("tokio current_thread" | "monoio io_uring", _) => cell.full_only(),
            ("smol", "hands over") => cell.full_only(),
            ("tokio block_in_place", _) => cell.full_only(),
            _ => cell,
        }
    });
    Experiment::new("long-poll", "latency p50", PLAIN.name)
        .cells(centre)
        .cells(lengths())
        .cells(counts())
        .cells(sleeping())
        .cells(receiving())
        .cells(noticed())
}

fn lengths() -> impl Iterator<Item = Cell> {
    let micros = [10, 100, 1_000].map(Duration::from_micros);
    let times = micros.into_iter().chain([VERY_LONG]);
    times.flat_map(|time| {
        let units = Units { time, ..CENTRE };
        [
            PLAIN.cell(units).in_sweep(),
            SPAWN_BLOCKING.cell(units).in_sweep().full_only(),
            RAYON.cell(units).in_sweep().full_only(),
        ]
    })
}

fn counts() -> impl Iterator<Item = Cell> {
    let with = |count| Units { count, ..CENTRE };
    let few = [0, 1].map(|count| PLAIN.cell(with(count)).in_sweep());
    let sixteen = [PLAIN, SPAWN_BLOCKING, SEMAPHORE, RAYON];
    let sixteen = sixteen.map(|contender| contender.cell(with(16)).full_only());
    let eight = PLAIN.cell(with(8)).in_sweep().full_only();
    few.into_iter().chain([eight]).chain(sixteen)
}

/// Creates measurements of tasks that sleep in the kernel. These tasks can't
/// yield within a sleep.
fn sleeping() -> impl Iterator<Item = Cell> {
    let units = Units { kind: Kind::Sleeping, ..CENTRE };
    let full = [BLOCK_IN_PLACE, RAYON, SMOL, SMOL_UNBLOCK];
    let full = full.map(|contender| contender.cell(units).full_only());
    [PLAIN.cell(units), SPAWN_BLOCKING.cell(units)].into_iter().chain(full)
}

/// Creates measurements of tasks that receive messages instead of computing.
/// Their sockets always hold a message.
fn receiving() -> impl Iterator<Item = Cell> {
    let serve = tokio_multi_thread::receives_unconstrained;
    let unconstrained = Contender { remedy: "unconstrained", serve, ..PLAIN };
    let constrained =
        Contender { serve: tokio_multi_thread::receives, ..PLAIN };
    [constrained, unconstrained].into_iter().map(|contender| {
        let cell = contender.cell(CENTRE).parameter("job", "receiving");
        cell.group("receiving")
    })
}

/// Creates measurements of our executor that replaces stuck threads. First
/// varies the interval of the monitor's checks (or has no monitor), then the
/// number and kind of tasks.
fn noticed() -> impl Iterator<Item = Cell> {
    let cell = |arm, units| OURS.cell(units).parameter("arm", arm);
    let blind = cell("no monitor", CENTRE);
    let watched = |serve, micros: i64, units: Units| {
        Contender { serve, ..OURS }
            .cell(units)
            .parameter("arm", "ours")
            .parameter("threshold_ns", micros * 1_000)
    };
    let a_millisecond =
        |units| watched(ours_noticing::watched::<1_000>, 1_000, units);
    [
        blind.full_only(),
        a_millisecond(CENTRE),
        watched(ours_noticing::watched::<100>, 100, CENTRE).full_only(),
        watched(ours_noticing::watched::<10_000>, 10_000, CENTRE).full_only(),
        // There are twice as many computing tasks as the executor has
        // threads.
        a_millisecond(Units { count: 8, ..CENTRE }).in_sweep().full_only(),
        a_millisecond(Units { kind: Kind::Sleeping, ..CENTRE }),
    ]
    .into_iter()
}

impl Units {
    fn group(self) -> &'static str {
        match (self.kind, self.count) {
            (Kind::Sleeping, _) => "sleeping",
            (_, 16) => "sixteen",
            _ if self.time == CENTRE.time && self.count == CENTRE.count => {
                "centre"
            }
            _ => "sweeps",
        }
    }
}

#[derive(Clone, Copy)]
struct Contender {
    name: &'static str,
    remedy: &'static str,
    workers: usize,
    serve: Serve,
    /// Returns an error if the runtime can't run here.
    start: fn() -> Result<(), String>,
}

impl Contender {
    /// Creates a contender that runs on Tokio with two workers, or on smol
    /// with two threads.
    const fn new(
        name: &'static str,
        remedy: &'static str,
        serve: Serve,
    ) -> Contender {
        let start = || Ok(());
        Contender { name, remedy, workers: WORKERS, serve, start }
    }

    fn cell(&self, units: Units) -> Cell {
        let Contender { name, remedy, workers, serve, start } = *self;
        let length = if units.time < VERY_LONG { WINDOW } else { 5 * WINDOW };
        let take = move |window| visit::take(serve, units, window);
        let cell = Cell::window(name, length, take).also(&visit::ALSO);
        let cell = match units.count {
            0 => cell,
            _ => cell.also(&[visit::OF_UNITS]),
        };
        let Units { count, kind, time } = units;
        cell.parameter("workers", workers as i64)
            .parameter("remedy", remedy)
            .parameter("units", count as i64)
            .parameter("job", kind.name())
            .parameter("poll_ns", time.as_nanos() as i64)
            .group(units.group())
            .needs(|| room_for_cores(WORKERS))
            .needs(start)
    }
}

const PLAIN: Contender =
    Contender::new("tokio multi-thread", "none", tokio_multi_thread::plain);

const YIELDS: Contender =
    Contender::new("tokio multi-thread", "yields", tokio_multi_thread::yields);

const BUDGET: Contender =
    Contender::new("tokio multi-thread", "budget", tokio_multi_thread::budget);

const CURRENT_THREAD: Contender = Contender {
    workers: 1,
    ..Contender::new(
        "tokio current_thread",
        "none",
        tokio_current_thread::plain,
    )
};

const SPAWN_BLOCKING: Contender = Contender::new(
    "tokio spawn_blocking",
    "hands over",
    tokio_spawn_blocking::hands_over,
);

const SEMAPHORE: Contender = Contender::new(
    "tokio spawn_blocking",
    "semaphore",
    tokio_spawn_blocking::semaphore,
);

const BLOCK_IN_PLACE: Contender = Contender::new(
    "tokio block_in_place",
    "hands over",
    tokio_block_in_place::hands_over,
);

const OURS: Contender =
    Contender::new("ours noticing", "none", ours_noticing::watched::<0>);

const RAYON: Contender =
    Contender::new("rayon", "hands over", rayon::hands_over);

const SMOL: Contender = Contender::new("smol", "none", smol::plain);

const SMOL_UNBLOCK: Contender =
    Contender::new("smol", "hands over", smol::hands_over);

#[cfg(target_os = "linux")]
fn on_a_ring() -> [Contender; 4] {
    use contenders::{glommio, monoio};
    use runtimes::{glommio::UNBOUND, monoio::IO_URING};
    let on_glommio = |remedy, serve| Contender {
        workers: 1,
        start: || UNBOUND.start(),
        ..Contender::new(UNBOUND.name(), remedy, serve)
    };
    [
        on_glommio("none", glommio::plain),
        on_glommio("queue", glommio::queue),
        on_glommio("asks", glommio::asks),
        Contender {
            workers: 1,
            start: || IO_URING.start(),
            ..Contender::new(IO_URING.name(), "none", monoio::plain)
        },
    ]
}

#[cfg(not(target_os = "linux"))]
fn on_a_ring() -> [Contender; 0] {
    []
}
