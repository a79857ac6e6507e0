//! Experiment `two-modes`: a time that has two modes, and a mean between them.

use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use harness::{pin_this_thread, Body, Cell, Experiment, Placement};
use measurement::statistics::median;
use measurement::Source;

pub mod exchange;
pub mod mean;
pub mod modes;

use exchange::Echo;

/// Round trips in an operation that is timed: few operations fill a sample, in
/// the slower mode one, so that a sample hardly blends the two.
const TRIPS: u64 = 400;

/// Round trips in a batch of a reading, and how many batches it looks at.
const TRIPS_IN_BATCH: u64 = 100;
const BATCHES: usize = 120;

/// How long a reading rests before each batch, so that both threads sleep and the
/// kernel chooses anew where they wake.
const REST: Duration = Duration::from_millis(1);

pub(crate) fn experiment() -> Experiment {
    let placements =
        [Placement::AllCores, Placement::OneCore, Placement::Neighbours];
    let placed = placements.map(|placement| {
        let cell = Cell::new("std::thread", sum(TRIPS), body(placement))
            .per(TRIPS)
            .placement(placement)
            .parameter("statistic", "median of a visit");
        match placement {
            Placement::Neighbours => {
                cell.needs(|| on_a_new_thread(|| pin_this_thread(0)))
            }
            _ => cell,
        }
    });
    Experiment::new("two-modes", "time per operation", "std::thread")
        .cells(placed)
        .cells([
            reading("mean", "time per operation", mean::mean),
            reading("median", "time per operation", median),
            reading("below the mean", "time per operation", |batches| {
                modes(batches).lower
            }),
            reading("above the mean", "time per operation", |batches| {
                modes(batches).upper
            }),
            reading("near the mean", "share", |batches| modes(batches).near),
        ])
}

/// Both threads are new in every batch, so that in each the kernel chooses their
/// cores anew.
fn body(placement: Placement) -> Body {
    let apart = placement == Placement::Neighbours;
    let (here, there): (fn(), fn()) = match apart {
        true => (|| pin(0), || pin(1)),
        false => (|| (), || ()),
    };
    let enter = move |batch: &mut (dyn FnMut() + Send)| {
        on_a_new_thread(|| {
            here();
            batch();
        });
    };
    Body::inside(enter, move || Echo::start(there).exchange(TRIPS))
}

fn pin(place: usize) {
    pin_this_thread(place).unwrap_or_else(|reason| panic!("{reason}"));
}

fn on_a_new_thread<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(run).join().expect("it returns"))
}

/// A figure of the batches of this process.
fn reading(
    statistic: &str,
    quantity: &str,
    of: impl Fn(&[f64]) -> f64 + 'static,
) -> Cell {
    let take = move || Ok(vec![of(batches()?)]);
    Cell::readings("std::thread", Source::Harness, &[quantity], take)
        .placement(Placement::AllCores)
        .parameter("statistic", statistic)
}

fn modes(batches: &[f64]) -> modes::Modes {
    modes::modes(batches, mean::mean(batches))
        .expect("times differ, so some are below their mean")
}

/// The time of a round trip in each batch, in nanoseconds; every figure of this
/// process is one of the same batches.
fn batches() -> Result<&'static [f64], String> {
    static TIMES: OnceLock<Result<Vec<f64>, String>> = OnceLock::new();
    let times = TIMES.get_or_init(|| (0..BATCHES).map(|_| batch()).collect());
    times.as_deref().map_err(String::clone)
}

fn batch() -> Result<f64, String> {
    let echo = Echo::start(|| ());
    thread::sleep(REST);
    let start = Instant::now();
    let found = echo.exchange(TRIPS_IN_BATCH);
    let elapsed = start.elapsed();
    let expected = sum(TRIPS_IN_BATCH);
    match found == expected {
        true => Ok(elapsed.as_secs_f64() * 1e9 / TRIPS_IN_BATCH as f64),
        false => Err(format!("{found} came back, not {expected}")),
    }
}

/// What comes back: 0 + 1 + ... + (trips - 1).
fn sum(trips: u64) -> u64 {
    trips * (trips - 1) / 2
}
