//! From which work of a unit on its price is less than a tenth of the work. It
//! is looked for in each process anew, so that the answer has an interval.

use std::future::Future;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::Cell;
use measurement::statistics::median;
use measurement::Source;
use tokio::runtime::Runtime;

use super::{
    divided, rayon, std_thread, thread_pool, tokio_spawn, tokio_spawn_blocking,
    unit, UNITS,
};
use crate::pools::{cores, new_pool, on_a_rayon_worker};

const SUM: u64 = UNITS * (UNITS - 1) / 2;

/// What is still no price: so many times what the same work takes when it is
/// divided among the cores beforehand.
const TOLERATED: f64 = 1.1;

/// Between which works it is looked for, and how often this range is halved, on
/// a scale of logarithms: until it is a twentieth of the answer wide.
const LEAST: Duration = Duration::from_nanos(20);
const MOST: Duration = Duration::from_millis(1);
const HALVINGS: usize = 8;
/// How often it is looked for anew, if what was found is contradicted.
const SEARCHES: usize = 4;

/// At each work both are timed so often, in turns, for about so long.
const TURNS: usize = 3;
const TURN: Duration = Duration::from_millis(4);

/// Times an operation whose units have so many rounds each, repeated so often.
type Time = Box<dyn Fn(u64, u32) -> Duration>;

pub(super) fn cells() -> [Cell; 5] {
    [
        cell("std::thread", || {
            Box::new(|rounds, repeats| {
                let unit = unit(rounds);
                timed(repeats, || std_thread::run(UNITS, unit))
            })
        }),
        cell("thread pool", || {
            let pool = new_pool();
            Box::new(move |rounds, repeats| {
                let unit = unit(rounds);
                timed(repeats, || thread_pool::run(&pool, UNITS, unit))
            })
        }),
        cell("rayon", || {
            Box::new(|rounds, repeats| {
                let unit = unit(rounds);
                on_rayon(repeats, move || rayon::run(UNITS, unit))
            })
        }),
        cell("tokio multi-thread", || {
            let runtime = runtime();
            Box::new(move |rounds, repeats| {
                let unit = unit(rounds);
                let operation = move || tokio_spawn::run(UNITS, unit);
                on_a_worker(&runtime, repeats, operation)
            })
        }),
        cell("tokio spawn_blocking", || {
            let runtime = runtime();
            Box::new(move |rounds, repeats| {
                let unit = unit(rounds);
                let operation = move || tokio_spawn_blocking::run(UNITS, unit);
                on_a_worker(&runtime, repeats, operation)
            })
        }),
    ]
}

fn cell(contender: &str, start: impl Fn() -> Time + 'static) -> Cell {
    let take = move || {
        let time = start();
        Ok(vec![crossing(|work| overhead(&time, work))])
    };
    let quantity = "work for a tenth of overhead";
    let beyond = format!("in one process at least, it is more than {MOST:?}");
    Cell::readings(contender, Source::Harness, &[quantity], take)
        .parameter("units", UNITS as i64)
        .parameter("arm", "ours")
        .infinite_means(&beyond)
        .full_only()
}

/// The work, in nanoseconds, at which `overhead` comes down to what is
/// tolerated; infinite if it is above that even at most work.
///
/// One busy moment can turn an answer, and halving never asks again. So half the
/// work that is found and double are asked at the end, and if one of them
/// contradicts, the search goes on on its side.
fn crossing(overhead: impl Fn(Duration) -> f64) -> f64 {
    let is_too_much = |work| overhead(work) > TOLERATED;
    let (mut low, mut high) = (LEAST, MOST);
    let mut found = MOST;
    for _ in 0..SEARCHES {
        found = halved(low, high, is_too_much);
        (low, high) = if is_too_much((2 * found).min(MOST)) {
            if 2 * found >= MOST {
                return f64::INFINITY;
            }
            (found, MOST)
        } else if !is_too_much((found / 2).max(LEAST)) && found / 2 > LEAST {
            (LEAST, found)
        } else {
            break;
        };
    }
    found.as_secs_f64() * 1e9
}

/// Where it ceases to be too much, between two works.
fn halved(
    mut low: Duration,
    mut high: Duration,
    is_too_much: impl Fn(Duration) -> bool,
) -> Duration {
    for _ in 0..HALVINGS {
        let middle = between(low, high);
        match is_too_much(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    between(low, high)
}

/// The middle on a scale of logarithms.
fn between(low: Duration, high: Duration) -> Duration {
    let seconds = (low.as_secs_f64() * high.as_secs_f64()).sqrt();
    Duration::from_secs_f64(seconds)
}

/// How many times as long units take as the same work divided beforehand.
fn overhead(time: &Time, work_of_a_unit: Duration) -> f64 {
    let rounds = rounds_in(work_of_a_unit);
    let operation = work_of_a_unit * UNITS as u32 / cores() as u32;
    let fits = TURN.as_nanos() / operation.as_nanos().max(1);
    let repeats = fits.clamp(1, 10) as u32;
    let unit = unit(rounds);
    let turn = |_| {
        let units = time(rounds, repeats);
        let divided = on_rayon(repeats, move || divided::run(UNITS, unit));
        units.as_secs_f64() / divided.as_secs_f64()
    };
    median(&(0..TURNS).map(turn).collect::<Vec<_>>())
}

/// Times what is repeated, after a first time off the clock.
fn timed(repeats: u32, mut operation: impl FnMut() -> u64) -> Duration {
    assert_eq!(operation(), SUM);
    let start = Instant::now();
    for _ in 0..repeats {
        assert_eq!(operation(), SUM);
    }
    start.elapsed()
}

/// The same on a worker of Rayon's.
fn on_rayon(repeats: u32, operation: impl FnMut() -> u64 + Send) -> Duration {
    let (mut operation, mut elapsed) = (operation, Duration::ZERO);
    on_a_rayon_worker(&mut || elapsed = timed(repeats, &mut operation));
    elapsed
}

/// The same on a worker of Tokio's.
fn on_a_worker<Sum>(
    runtime: &Runtime,
    repeats: u32,
    operation: impl Fn() -> Sum + Send + 'static,
) -> Duration
where
    Sum: Future<Output = u64> + Send,
{
    let timed = async move {
        assert_eq!(operation().await, SUM);
        let start = Instant::now();
        for _ in 0..repeats {
            assert_eq!(operation().await, SUM);
        }
        start.elapsed()
    };
    let outcome = runtime.block_on(runtime.spawn(timed));
    outcome.expect("every sum is right")
}

fn runtime() -> Runtime {
    Runtime::new().expect("a Tokio runtime can be built")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell as StdCell;

    use super::*;

    /// An overhead of so much time a unit.
    fn costing(price: Duration) -> impl Fn(Duration) -> f64 {
        move |work| 1.0 + price.as_secs_f64() / work.as_secs_f64()
    }

    #[test]
    fn the_crossing_is_where_the_price_is_a_tenth_of_the_work() {
        for price in [20, 500, 30_000] {
            let found = crossing(costing(Duration::from_nanos(price)));
            let ratio = found / (10 * price) as f64;
            assert!((0.95..1.05).contains(&ratio), "{price}: {ratio}");
        }
    }

    #[test]
    fn beyond_the_range_there_is_none() {
        let found = crossing(costing(Duration::from_millis(1)));
        assert_eq!(found, f64::INFINITY);
    }

    /// An overhead that is told wrongly once, at the question of this number.
    fn wrong_once(at: u32, price: Duration) -> impl Fn(Duration) -> f64 {
        let (asked, right) = (StdCell::new(0), costing(price));
        move |work| {
            asked.set(asked.get() + 1);
            match (asked.get() == at, right(work) > TOLERATED) {
                (true, true) => 1.0,
                (true, false) => 2.0,
                (false, _) => right(work),
            }
        }
    }

    #[test]
    fn one_wrong_answer_does_not_make_another_crossing() {
        let price = Duration::from_micros(10);
        for at in 1..=8 {
            let found = crossing(wrong_once(at, price));
            let ratio = found / 100_000.0;
            assert!((0.5..2.0).contains(&ratio), "{at}: {found}");
        }
    }
}
