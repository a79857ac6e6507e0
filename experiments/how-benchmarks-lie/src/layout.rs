//! Experiment `layout`: one loop that is compiled into one program six times,
//! at different addresses. Each process of a run uses a different build, in
//! which the copies are at other addresses.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use harness::{Cell, Experiment};
use measurement::statistics::median;
use measurement::Source;

use crate::listings::layout::add_up::add_up;

/// A copy of the loop that adds up numbers. `COPIES` lists the number from
/// which each copy starts.
type AddUp = fn(&[&OnceLock<u64>]) -> u64;

const COPIES: [(u64, AddUp); 6] = [
    (1, add_up::<1>),
    (2, add_up::<2>),
    (3, add_up::<3>),
    (4, add_up::<4>),
    (5, add_up::<5>),
    (6, add_up::<6>),
];

/// The first copy, six times. It is compared with itself.
const ITSELF: [(u64, AddUp); 6] = [COPIES[0]; 6];

const NUMBERS: u64 = 1_024;

/// How many times each copy is timed, in turn with the others, and how many
/// calls are timed together. These calls take a few hundred microseconds.
const TURNS: usize = 41;
const CALLS: u64 = 256;

pub(crate) fn experiment() -> Experiment {
    let cell = |name, copies| {
        let take = move || Ok(vec![slowest_against_fastest(copies)?]);
        Cell::readings(name, Source::Harness, &["ratio"], take)
    };
    Experiment::new("layout", "ratio", "itself")
        .cell(cell("six copies", COPIES))
        .cell(cell("itself", ITSELF))
}

/// Returns the ratio of the slowest copy's time to the fastest copy's, in
/// this build.
fn slowest_against_fastest(copies: [(u64, AddUp); 6]) -> Result<f64, String> {
    let one: &'static OnceLock<u64> = Box::leak(Box::new(OnceLock::from(1)));
    let numbers = vec![one; NUMBERS as usize];
    let mut times = [const { Vec::new() }; 6];
    for _ in 0..TURNS {
        for ((first, add_up), times) in copies.iter().zip(&mut times) {
            // Hides from LLVM which copy is called.
            let add_up = black_box(*add_up);
            let start = Instant::now();
            let sum: u64 = (0..CALLS).map(|_| add_up(&numbers)).sum();
            times.push(start.elapsed().as_secs_f64());
            if sum != CALLS * (NUMBERS + first) {
                return Err(format!("copy {first} has added up {sum}"));
            }
        }
    }
    let times = times.map(|times| median(&times));
    let slowest = times.iter().copied().fold(0.0, f64::max);
    let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(slowest / fastest)
}
