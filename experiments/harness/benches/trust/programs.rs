//! What is measured: pairs of cells of which it is known whether they differ.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use harness::{stamp, Body, Cell, Chapter, Experiment, Program, StudyProgram};
use measurement::Source;

use crate::recorded;

/// Pairs in a run: in four runs 200 identical ones, and 100 with a difference.
const PAIRS_OF_KERNEL: usize = 10;
const PLANTED_PAIRS: usize = 25;

/// How many steps one of a planted pair does, and the other.
const STEPS: u64 = 1_000;
const MORE_STEPS: u64 = STEPS + STEPS / 20;

/// Pairs with a difference.
pub(crate) const PLANTED: &str = "planted";

/// An operation that does nothing: one is timed in visits, the other by hand.
pub(crate) const EMPTY: &str = "empty";

/// One function in several places.
pub(crate) const COPIES: &str = "copies";

/// An operation with stamps, which nobody records, and the same without.
pub(crate) const STAMPED: &str = "stamped";
const STAMPED_PAIRS: usize = 5;

/// The contenders of every pair.
pub(crate) const ONE: &str = "one";
pub(crate) const OTHER: &str = "the other";

const QUANTITY: &str = "time per operation";

/// All pairs of a run.
pub(crate) fn chapter() -> Chapter {
    let mut experiments: Vec<Experiment> = StudyProgram::ALL
        .map(|kernel| {
            let cell = |name| Cell::new(name, kernel.answer(), kernel.body());
            pairs(&identical(kernel), PAIRS_OF_KERNEL, || {
                [cell(ONE), cell(OTHER)]
            })
        })
        .into();
    experiments.push(pairs(PLANTED, PLANTED_PAIRS, || {
        [steps(ONE, STEPS), steps(OTHER, MORE_STEPS)]
    }));
    experiments.push(pairs(EMPTY, 1, || {
        let by_hand = || Ok(vec![by_hand()]);
        [
            Cell::new(ONE, 0, Body::here(|| || 0)),
            Cell::readings(OTHER, Source::Harness, &[QUANTITY], by_hand),
        ]
    }));
    experiments.push(pairs(STAMPED, STAMPED_PAIRS, || {
        [steps(ONE, STEPS), stamped_steps(OTHER, STEPS)]
    }));
    experiments.push(copies());
    experiments.push(recorded::experiment());
    let package = env!("CARGO_MANIFEST_DIR");
    Chapter::new("harness", package, experiments)
        .measured_by(Program::Bench("trust".to_owned()))
}

/// The experiment of identical cells of a class.
pub(crate) fn identical(kernel: StudyProgram) -> String {
    format!("identical-{}", kernel.name())
}

/// Pairs by number, each a group of its own: beside each stands the twin of the
/// one, which is what the pair's noise floor is taken from.
fn pairs(name: &str, count: usize, pair: impl Fn() -> [Cell; 2]) -> Experiment {
    let numbered =
        |number| pair().map(|cell| cell.parameter("pair", number as i64));
    Experiment::new(name, QUANTITY, ONE).cells((0..count).flat_map(numbered))
}

/// Arithmetic like that of the class `single-thread`, some microseconds of it.
fn steps(name: &str, steps: u64) -> Cell {
    Cell::new(name, chain(steps), Body::here(move || move || chain(steps)))
}

/// The same with stamps around it.
fn stamped_steps(name: &str, steps: u64) -> Cell {
    let stamped = move || {
        stamp("begin");
        let answer = chain(steps);
        stamp("end");
        answer
    };
    Cell::new(name, chain(steps), Body::here(move || stamped))
}

fn chain(steps: u64) -> u64 {
    (0..black_box(steps)).fold(1, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^ (x << 17)
    })
}

/// The time of an empty operation in a loop around the clock, in nanoseconds.
fn by_hand() -> f64 {
    let operations = 1_u32 << 22;
    let start = Instant::now();
    for _ in 0..operations {
        black_box(0_u64);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(operations)
}

/// Adds up numbers, beginning with `FIRST`.
type AddUp = fn(&[&OnceLock<u64>]) -> u64;

/// How many numbers are added up in a call, and how often it is called in an
/// operation of the harness's.
const NUMBERS: u64 = 1_024;
const CALLS: u64 = 8;

/// One group of copies; an operation is an addition.
fn copies() -> Experiment {
    let copies: [(u64, AddUp); 6] = [
        (1, add_up::<1>),
        (2, add_up::<2>),
        (3, add_up::<3>),
        (4, add_up::<4>),
        (5, add_up::<5>),
        (6, add_up::<6>),
    ];
    let cell = |(first, add_up): (u64, AddUp)| {
        let body = Body::here(move || {
            let numbers = one_again_and_again();
            // LLVM may not know which copy is called.
            let add_up = black_box(add_up);
            move || (0..CALLS).map(|_| add_up(&numbers)).sum::<u64>()
        });
        Cell::new(&format!("copy {first}"), CALLS * (NUMBERS + first), body)
            .per(CALLS * NUMBERS)
            .parameter("pair", 0)
    };
    Experiment::new(COPIES, QUANTITY, "copy 1").cells(copies.map(cell))
}

/// A loop whose time depends on where the linker puts it: two builds of the Send
/// tax once found a read of a `OnceLock` half as dear and half again as dear as
/// that of a `OnceCell`. The machine code of copies differs in the number with
/// which they begin, and in nothing else: without that, LLVM would merge them.
#[inline(never)]
fn add_up<const FIRST: u64>(numbers: &[&OnceLock<u64>]) -> u64 {
    let mut sum = FIRST;
    for number in numbers {
        sum += *number.get().expect("it was set");
        black_box(());
    }
    sum
}

/// Some ones, each in its own place, in turn.
fn one_again_and_again() -> Vec<&'static OnceLock<u64>> {
    let ones: Vec<OnceLock<u64>> = (0..16).map(|_| OnceLock::from(1)).collect();
    let ones: &'static [OnceLock<u64>] = ones.leak();
    ones.iter().cycle().take(NUMBERS as usize).collect()
}
