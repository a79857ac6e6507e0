//! Finds the amount of work above which the cost of a thread, job or task is
//! less than a tenth of its work. Each process determines it separately, so
//! that the result has an interval.

use std::future::Future;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::Cell;
use measurement::statistics::median;
use measurement::Source;
use runtimes::rayon::on_a_worker;
use tokio::runtime::Runtime;

use crate::busy::{self, unit};
use crate::pools::{cores, new_pool};

/// The number of threads, jobs or tasks: few, so that an operation with much
/// work stays short.
pub(super) const UNITS: u64 = 100;

const SUM: u64 = UNITS * (UNITS - 1) / 2;

/// The longest tolerated time, as a multiple of the time that the same work
/// takes when it is divided among the cores up front.
const TOLERATED: f64 = 1.1;

/// The smallest and the largest amount of work to try, and the number of
/// amounts. Each amount is larger than the previous one by the same factor.
/// All are tried, whatever the results, so that one wrong result can't
/// mislead a search.
const LEAST: Duration = Duration::from_nanos(20);
const MOST: Duration = Duration::from_millis(1);
const WORKS: usize = 9;

/// Each amount of work is timed `TURNS` times. Each time, an operation is
/// repeated as often as its work fits into `TURN`, up to ten times.
const TURNS: usize = 3;
const TURN: Duration = Duration::from_millis(4);

/// The number of amounts of work to which a line is fitted. They are the ones
/// nearest the crossing, because no contender's overhead follows a line over
/// the whole range.
const NEAR: usize = 5;

/// The overhead, as a share of the work, below which it can't be
/// distinguished from none.
const NONE: f64 = 0.005;

/// Returns how long an operation takes in total, given the rounds of
/// arithmetic per thread, job or task and the number of repetitions.
type Time = Box<dyn Fn(u64, u32) -> Duration>;

pub(super) fn cells() -> [Cell; 5] {
    [
        cell("std::thread", || {
            Box::new(|rounds, repeats| {
                let unit = unit(rounds);
                timed(repeats, || busy::threads(UNITS, unit))
            })
        }),
        cell("thread pool", || {
            let pool = new_pool();
            Box::new(move |rounds, repeats| {
                let unit = unit(rounds);
                timed(repeats, || busy::pool(&pool, UNITS, unit))
            })
        }),
        cell("rayon", || {
            Box::new(|rounds, repeats| {
                let unit = unit(rounds);
                on_rayon(repeats, move || busy::jobs(UNITS, unit))
            })
        }),
        cell("tokio multi-thread", || {
            let runtime = runtime();
            Box::new(move |rounds, repeats| {
                let unit = unit(rounds);
                let operation = move || busy::tasks(UNITS, unit);
                on_a_tokio_worker(&runtime, repeats, operation)
            })
        }),
        cell("tokio spawn_blocking", || {
            let runtime = runtime();
            Box::new(move |rounds, repeats| {
                let unit = unit(rounds);
                let operation = move || busy::blocking(UNITS, unit);
                on_a_tokio_worker(&runtime, repeats, operation)
            })
        }),
    ]
}

fn cell(contender: &str, start: impl Fn() -> Time + 'static) -> Cell {
    let take = move || {
        let time = start();
        Ok(vec![crossing(&overheads(|work| overhead(&time, work)))])
    };
    let quantity = "work for a tenth of overhead";
    let beyond = format!("in one process at least, it is more than {MOST:?}");
    Cell::readings(contender, Source::Harness, &[quantity], take)
        .parameter("units", UNITS as i64)
        .parameter("arm", "ours")
        .infinite_means(&beyond)
        .full_only()
}

/// Returns the amounts of work to try, in nanoseconds.
fn works() -> [f64; WORKS] {
    let nanoseconds = |work: Duration| work.as_nanos() as f64;
    let (least, most) = (nanoseconds(LEAST), nanoseconds(MOST));
    std::array::from_fn(|place| {
        let along = place as f64 / (WORKS - 1) as f64;
        least * (most / least).powf(along)
    })
}

/// Returns the indices of all amounts of work, in the order of turn `turn`.
/// Each turn has a different order, so that a drift during the process
/// doesn't look like an effect of the work.
fn order(turn: usize) -> [usize; WORKS] {
    const STRIDES: [usize; TURNS] = [2, 4, 7];
    std::array::from_fn(|step| step * STRIDES[turn] % WORKS)
}

/// Returns the overhead at each amount of work: the median over all turns.
fn overheads(overhead: impl Fn(Duration) -> f64) -> [f64; WORKS] {
    let works = works();
    let mut turns = [[0.0; WORKS]; TURNS];
    for (turn, overheads) in turns.iter_mut().enumerate() {
        for place in order(turn) {
            let work = Duration::from_nanos(works[place] as u64);
            overheads[place] = overhead(work);
        }
    }
    std::array::from_fn(|place| median(&turns.map(|turn| turn[place])))
}

/// Returns the work, in nanoseconds, at which the overhead falls to the
/// tolerated level; infinite if that is more than the largest amount tried.
///
/// The number of amounts with too much overhead shows roughly where the
/// crossing is. Near there, a Theil-Sen line is fitted to overhead and work,
/// both in logarithms. Its slope is the median of the slopes between any two
/// points, so that one wild overhead doesn't move the crossing far.
fn crossing(overheads: &[f64; WORKS]) -> f64 {
    let too_much = overheads.iter().filter(|&&o| o > TOLERATED).count();
    let first = too_much.saturating_sub(3).min(WORKS - NEAR);
    let beyond_work = |overhead: f64| (overhead - 1.0).max(NONE).ln();
    let near: Vec<(f64, f64)> = works()
        .iter()
        .zip(overheads)
        .map(|(work, &overhead)| (work.ln(), beyond_work(overhead)))
        .skip(first)
        .take(NEAR)
        .collect();
    let mut slopes = Vec::new();
    for (place, (x, y)) in near.iter().enumerate() {
        let later = near[place + 1..].iter();
        slopes.extend(
            later.map(|(later_x, later_y)| (later_y - y) / (later_x - x)),
        );
    }
    let slope = median(&slopes);
    let levels: Vec<f64> = near.iter().map(|(x, y)| y - slope * x).collect();
    let tolerated = beyond_work(TOLERATED);
    let least = LEAST.as_nanos() as f64;
    let most = MOST.as_nanos() as f64;
    if slope >= 0.0 {
        // The overhead doesn't fall with more work: it is too large at all
        // amounts of work, or at none.
        return if too_much > WORKS / 2 { f64::INFINITY } else { least };
    }
    let found = ((tolerated - median(&levels)) / slope).exp();
    if found > most {
        f64::INFINITY
    } else {
        found.max(least)
    }
}

/// Returns the time that the threads, jobs or tasks take, divided by the time
/// that the same work takes when it is divided up front.
fn overhead(time: &Time, work_of_a_unit: Duration) -> f64 {
    let rounds = rounds_in(work_of_a_unit);
    let operation = work_of_a_unit * UNITS as u32 / cores() as u32;
    let fits = TURN.as_nanos() / operation.as_nanos().max(1);
    let repeats = fits.clamp(1, 10) as u32;
    let unit = unit(rounds);
    let units = time(rounds, repeats);
    let divided = on_rayon(repeats, move || busy::divided(UNITS, unit));
    units.as_secs_f64() / divided.as_secs_f64()
}

/// Times `repeats` runs of an operation, after an untimed one. If `repeats`
/// is 1, the operation is long, and there is no untimed run.
fn timed(repeats: u32, mut operation: impl FnMut() -> u64) -> Duration {
    if repeats > 1 {
        assert_eq!(operation(), SUM);
    }
    let start = Instant::now();
    for _ in 0..repeats {
        assert_eq!(operation(), SUM);
    }
    start.elapsed()
}

/// Like [`timed`], but runs on one of Rayon's workers.
fn on_rayon(repeats: u32, operation: impl FnMut() -> u64 + Send) -> Duration {
    let (mut operation, mut elapsed) = (operation, Duration::ZERO);
    on_a_worker(&mut || elapsed = timed(repeats, &mut operation));
    elapsed
}

/// Like [`timed`], but runs on one of the workers of `runtime`.
fn on_a_tokio_worker<Sum>(
    runtime: &Runtime,
    repeats: u32,
    operation: impl Fn() -> Sum + Send + 'static,
) -> Duration
where
    Sum: Future<Output = u64> + Send,
{
    let timed = async move {
        if repeats > 1 {
            assert_eq!(operation().await, SUM);
        }
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
    use super::*;

    /// Returns the overheads if each thread, job or task costs `price`
    /// nanoseconds.
    fn costing(price: f64) -> [f64; WORKS] {
        works().map(|work| 1.0 + price / work)
    }

    /// Costs per thread, job or task in nanoseconds. The crossing of each
    /// lies within the amounts of work tried.
    const PRICES: [f64; 6] = [20.0, 100.0, 500.0, 1_000.0, 10_000.0, 60_000.0];

    #[test]
    fn all_works_are_asked_in_each_turn() {
        let works = works();
        assert_eq!(works[0], LEAST.as_nanos() as f64);
        assert!((works[WORKS - 1] / MOST.as_nanos() as f64 - 1.0).abs() < 1e-9);
        for turn in 0..TURNS {
            let mut places = order(turn);
            places.sort_unstable();
            assert!(places.into_iter().eq(0..WORKS), "turn {turn}");
        }
    }

    #[test]
    fn one_wild_turn_is_no_overhead() {
        let asked = std::cell::Cell::new(0);
        for wild in 0..WORKS * TURNS {
            asked.set(0);
            let overheads = overheads(|work| {
                let price = 1_000.0 / work.as_nanos() as f64;
                let is_wild = asked.replace(asked.get() + 1) == wild;
                if is_wild {
                    100.0
                } else {
                    1.0 + price
                }
            });
            let ratio = crossing(&overheads) / 10_000.0;
            assert!((0.99..1.01).contains(&ratio), "{wild}: {ratio}");
        }
    }

    #[test]
    fn the_crossing_is_where_the_price_is_a_tenth_of_the_work() {
        for price in PRICES {
            let ratio = crossing(&costing(price)) / (10.0 * price);
            assert!((0.999..1.001).contains(&ratio), "{price}: {ratio}");
        }
    }

    /// The overhead of the plain pool, for example, falls more slowly than
    /// the work grows.
    #[test]
    fn an_overhead_may_come_down_more_slowly_than_the_work_grows() {
        for exponent in [0.4, 0.7, 1.2] {
            let at = 50_000.0;
            let overheads =
                works().map(|work| 1.0 + 0.1 * (at / work).powf(exponent));
            let ratio = crossing(&overheads) / at;
            assert!((0.999..1.001).contains(&ratio), "{exponent}: {ratio}");
        }
    }

    #[test]
    fn beyond_the_range_there_is_none() {
        for price in [150_000.0, 1e6, 1e7] {
            assert_eq!(crossing(&costing(price)), f64::INFINITY, "{price}");
        }
        assert_eq!(crossing(&[1.2; WORKS]), f64::INFINITY);
        // If the overhead never reaches a tenth, the crossing is at the
        // smallest amount of work.
        for overheads in [[1.0; WORKS], [0.9; WORKS], costing(0.5)] {
            assert_eq!(crossing(&overheads), LEAST.as_nanos() as f64);
        }
    }

    #[test]
    fn one_wild_overhead_does_not_make_another_crossing() {
        for price in PRICES {
            for place in 0..WORKS {
                for wild in [0.5, 1.0, 3.0, 30.0, 1_000.0] {
                    let mut overheads = costing(price);
                    overheads[place] *= wild;
                    let ratio = crossing(&overheads) / (10.0 * price);
                    assert!(
                        (0.5..2.0).contains(&ratio),
                        "{price}, {wild} times at {place}: {ratio}"
                    );
                }
            }
        }
    }

    /// Random noise changes each overhead by up to a fiftieth. It changes the
    /// part of the overhead that exceeds the work by up to a fifth.
    #[test]
    fn noise_moves_the_crossing_little() {
        // Pseudo-random numbers, the same in each run.
        let mut state = 1_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        for price in PRICES {
            let mut far = 0;
            for attempt in 0..1_000 {
                let overheads = costing(price).map(|overhead| {
                    let beyond = (overhead - 1.0) * (1.0 + 0.2 * noise());
                    (1.0 + beyond) * (1.0 + 0.02 * noise())
                });
                let ratio = crossing(&overheads) / (10.0 * price);
                assert!(
                    (1.0 / 3.0..3.0).contains(&ratio),
                    "{price}, attempt {attempt}: {ratio}"
                );
                far += u32::from(!(0.6..1.6).contains(&ratio));
            }
            assert!(far < 50, "{price}: {far} of 1,000");
        }
    }
}
