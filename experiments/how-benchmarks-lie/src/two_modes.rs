//! Experiment `two-modes`: times that cluster around two values, and a mean
//! that lies between them.

use std::cell::RefCell;
use std::collections::hash_map::{Entry, HashMap};
use std::thread;
use std::time::{Duration, Instant};

use harness::{pin_this_thread, Cell, Experiment, Placement};
use measurement::statistics::median;
use measurement::Source;

use crate::listings::two_modes::exchange::Echo;
use crate::listings::two_modes::{mean, modes};

/// The number of round trips in a batch, and the number of batches in a
/// process.
const TRIPS: u64 = 100;
const BATCHES: usize = 120;

/// How long both threads sleep before each batch. When they wake up, the
/// kernel chooses their cores again.
const REST: Duration = Duration::from_millis(1);

type Statistic = fn(&[f64]) -> f64;

/// The ways to summarise batches. Each has a name, the resulting quantity,
/// and a function.
const STATISTICS: [(&str, &str, Statistic); 5] = [
    ("mean", "time per operation", mean::mean),
    ("median", "time per operation", median),
    ("below the mean", "time per operation", |batches| modes(batches).lower),
    ("above the mean", "time per operation", |batches| modes(batches).upper),
    ("near the mean", "share", |batches| modes(batches).near),
];

const PLACEMENTS: [Placement; 3] =
    [Placement::AllCores, Placement::OneCore, Placement::Neighbours];

pub(crate) fn experiment() -> Experiment {
    let cells = PLACEMENTS.into_iter().flat_map(|placement| {
        STATISTICS.map(|(name, quantity, statistic)| {
            let take = move || Ok(vec![statistic(&batches(placement)?)]);
            Cell::readings("std::thread", Source::Harness, &[quantity], take)
                .placement(placement)
                .parameter("statistic", name)
        })
    });
    Experiment::new("two-modes", "time per operation", "std::thread")
        .cells(cells)
}

fn modes(batches: &[f64]) -> modes::Modes {
    modes::modes(batches, mean::mean(batches))
        .expect("times differ, so some are below their mean")
}

thread_local! {
    /// The times measured in this process. All summaries for a placement are
    /// computed from the same times.
    static TIMES: RefCell<HashMap<&'static str, Vec<f64>>> = RefCell::default();
}

/// Returns the time per round trip in each batch, in nanoseconds.
fn batches(placement: Placement) -> Result<Vec<f64>, String> {
    TIMES.with_borrow_mut(|times| match times.entry(placement.name()) {
        Entry::Occupied(entry) => Ok(entry.get().clone()),
        Entry::Vacant(entry) => {
            let times = measure(placement)?;
            Ok(entry.insert(times).clone())
        }
    })
}

/// Measures on a new thread, so that pinning this thread to a core affects no
/// other code.
fn measure(placement: Placement) -> Result<Vec<f64>, String> {
    let apart = placement == Placement::Neighbours;
    let measuring = move || {
        if apart {
            pin_this_thread(0)?;
        }
        (0..BATCHES).map(|_| batch(apart)).collect()
    };
    thread::spawn(measuring).join().map_err(|_| "it panicked".to_owned())?
}

fn batch(apart: bool) -> Result<f64, String> {
    let place = if apart { pin_to_second } else { || () };
    let echo = Echo::start(place);
    thread::sleep(REST);
    let start = Instant::now();
    let found = echo.exchange(TRIPS);
    let elapsed = start.elapsed();
    // The expected sum of the replies: 0 + 1 + ... + (trips - 1).
    let expected = TRIPS * (TRIPS - 1) / 2;
    if found == expected {
        Ok(elapsed.as_secs_f64() * 1e9 / TRIPS as f64)
    } else {
        Err(format!("{found} came back, not {expected}"))
    }
}

fn pin_to_second() {
    pin_this_thread(1).unwrap_or_else(|reason| panic!("{reason}"));
}
