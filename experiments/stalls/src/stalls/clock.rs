//! Watches a core. A thread on the core reads the clock repeatedly, and notes
//! the intervals in which it didn't run.

use std::thread;
use std::time::{Duration, Instant};

use harness::{pin_this_thread, Measurement};
use measurement::Source;
use nix::time::{clock_gettime, ClockId};

use super::setting::{server_and_load, Place};
use super::stall::{self, Stall};

/// The minimum time between two readings of the clock that is considered a
/// stall, in nanoseconds. The guest's own interrupts take a few microseconds.
const SHORTEST: u64 = 20_000;

/// The figures of a watched core that are reported in addition to how long
/// messages wait.
pub(super) const QUANTITIES: [(&str, Source); 2] = [
    ("share of time in stalls", Source::Harness),
    ("share of time in unseen stalls", Source::Harness),
];

/// How long the watching threads may take to get ready before the window
/// begins.
const BEGINS_IN: Duration = Duration::from_millis(2);

/// The stalls that were observed on one core, or on two together.
struct Watched {
    stalls: Vec<Stall>,
    readings: u64,
}

/// Watches the server's core while the load generator's core is watched as
/// well.
pub(super) fn of_server(window: Duration) -> Result<Measurement, String> {
    let watched = watch(&server_and_load()?, window)?;
    Ok(watched[0].told(window))
}

/// Watches the server's core while the load generator's core is asleep.
pub(super) fn of_server_alone(window: Duration) -> Result<Measurement, String> {
    let [server, _] = server_and_load()?;
    let watched = watch(&[server], window)?;
    Ok(watched[0].told(window))
}

/// Watches the load generator's core while the server's core is watched as
/// well.
pub(super) fn of_load(window: Duration) -> Result<Measurement, String> {
    let watched = watch(&server_and_load()?, window)?;
    Ok(watched[1].told(window))
}

/// Watches both cores. A message that needs both cores has to wait while
/// either of them stalls.
pub(super) fn of_either(window: Duration) -> Result<Measurement, String> {
    let watched = watch(&server_and_load()?, window)?;
    let [server, load] = [&watched[0], &watched[1]];
    let either = Watched {
        stalls: stall::of_either(&server.stalls, &load.stalls),
        readings: server.readings.min(load.readings),
    };
    Ok(either.told(window))
}

/// Watches several cores at the same time, for the length of the window.
fn watch(places: &[Place], window: Duration) -> Result<Vec<Watched>, String> {
    let begins = Instant::now() + BEGINS_IN;
    thread::scope(|scope| {
        let watch = |&Place(place): &Place| {
            scope.spawn(move || {
                pin_this_thread(place)?;
                read_clock(begins, window)
            })
        };
        let watchers: Vec<_> = places.iter().map(watch).collect();
        let watched = watchers.into_iter().map(|watcher| watcher.join());
        watched.map(|it| it.expect("a watcher does not panic")).collect()
    })
}

/// Watches the core of the calling thread, starting at `begins`.
fn read_clock(begins: Instant, window: Duration) -> Result<Watched, String> {
    let nanoseconds = |duration: Duration| duration.as_nanos() as u64;
    // `elapsed` can't be negative, so it is zero until `begins`.
    while begins.elapsed().is_zero() {}
    let ends = nanoseconds(window);
    let (mut stalls, mut readings) = (Vec::with_capacity(10_000), 0);
    let mut not_run = time_not_run(begins)?;
    let mut last = nanoseconds(begins.elapsed());
    while last < ends {
        let now = nanoseconds(begins.elapsed());
        readings += 1;
        let length = now - last;
        if length >= SHORTEST {
            let before = not_run;
            // Reading the thread's CPU time is a system call, so it is done
            // only after a stall.
            not_run = time_not_run(begins)?;
            let seen = u64::try_from(not_run - before).unwrap_or(0);
            let unseen = length.saturating_sub(seen);
            stalls.push(Stall { start: last, end: now.min(ends), unseen });
        }
        last = now;
    }
    Ok(Watched { stalls, readings })
}

/// Returns how much further the clock has advanced than the CPU time of this
/// thread, in nanoseconds, up to a constant. The difference grows while the
/// kernel runs another thread on the core, and while the host is known to
/// have taken the core away.
fn time_not_run(since: Instant) -> Result<i64, String> {
    let ran = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map_err(|error| format!("a thread's CPU time: {error}"))?;
    let ran = Duration::from(ran).as_nanos() as i64;
    Ok(since.elapsed().as_nanos() as i64 - ran)
}

impl Watched {
    fn told(&self, window: Duration) -> Measurement {
        let Watched { stalls, readings } = self;
        let step = window.as_nanos() as u64 / readings.max(&1);
        Measurement {
            answered: *readings,
            elapsed: window,
            latencies: Some(stall::waits(stalls, step, window)),
            also: vec![
                stall::share_in(stalls, window),
                stall::unseen_share_in(stalls, window),
            ],
            ..Measurement::default()
        }
    }
}
