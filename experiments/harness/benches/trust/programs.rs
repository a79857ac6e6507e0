//! What is measured: pairs of cells of which it is known whether they differ.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use harness::{Body, Cell, Chapter, Experiment, Program, StudyProgram};
use measurement::Source;

/// How many steps one of a planted pair does, and the other.
const STEPS: u64 = 1_000;
const MORE_STEPS: u64 = STEPS + STEPS / 20;

/// Experiments: pairs with a difference; an operation that does nothing, timed in visits and by hand; pairs of one
/// function under two names.
pub(crate) const PLANTED: &str = "planted";
pub(crate) const EMPTY: &str = "empty";
pub(crate) const SECOND_COPIES: &str = "second-copies";

/// The contenders of every pair.
pub(crate) const ONE: &str = "one";
pub(crate) const OTHER: &str = "the other";

pub(crate) const QUANTITY: &str = "time per operation";

/// All pairs of a run. How much they scatter is known from eight of each kind at least.
pub(crate) fn chapter() -> Chapter {
    let identical = |program: StudyProgram| {
        let cell = |name| Cell::new(name, program.answer(), program.body());
        pairs(&identical(program), 10, |_| [cell(ONE), cell(OTHER)])
    };
    let steps = |name, steps| {
        let body = Body::here(move || move || chain(steps));
        Cell::new(name, chain(steps), body)
    };
    let planted = |_| [steps(ONE, STEPS), steps(OTHER, MORE_STEPS)];
    let by_hand = || Ok(vec![by_hand()]);
    let empty = |_| {
        [
            Cell::new(ONE, 0, Body::here(|| || 0)),
            Cell::readings(OTHER, Source::Harness, &[QUANTITY], by_hand),
        ]
    };
    let mut experiments: Vec<_> = StudyProgram::ALL.map(identical).into();
    experiments.extend([
        pairs(PLANTED, 25, planted),
        pairs(EMPTY, 1, empty),
        pairs(SECOND_COPIES, COPIES.len(), |pair| {
            let [one, other] = COPIES[pair];
            [copy(ONE, one), copy(OTHER, other)]
        }),
    ]);
    Chapter::new("harness", env!("CARGO_MANIFEST_DIR"), experiments)
        .measured_by(Program::Bench("trust".to_owned()))
}

/// The experiment of identical cells of a class.
pub(crate) fn identical(program: StudyProgram) -> String {
    format!("identical-{}", program.name())
}

/// Pairs by number, each a group of its own: beside each stands the twin of the
/// one.
fn pairs(
    name: &str,
    count: usize,
    pair: impl Fn(usize) -> [Cell; 2],
) -> Experiment {
    let numbered =
        |number| pair(number).map(|cell| cell.parameter("pair", number as i64));
    Experiment::new(name, QUANTITY, ONE).cells((0..count).flat_map(numbered))
}

/// Arithmetic like that of the class `single-thread`, some microseconds of it.
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

/// How many numbers a copy adds up in a call, and how often it is called in an
/// operation.
const NUMBERS: usize = 1_024;
const CALLS: u64 = 8;

/// A function under a name of its own, and the number with which it begins: the machine code of copies differs
/// in that and in nothing else. Without it, LLVM would merge them.
type Copied = (u64, fn(&[&OnceLock<u64>]) -> u64);

macro_rules! copies {
    ($($one:literal $other:literal),*) => {
        [$([($one, read::<$one>), ($other, read::<$other>)]),*]
    };
}

/// Where the linker puts the copies of a pair is all in which they differ.
const COPIES: [[Copied; 2]; 8] =
    copies!(1 2, 3 4, 5 6, 7 8, 9 10, 11 12, 13 14, 15 16);

fn copy(name: &str, (first, copy): Copied) -> Cell {
    let body = Body::here(move || {
        // Some ones, each in its own place, in turn.
        let ones: Vec<_> = (0..16).map(|_| OnceLock::from(1)).collect();
        let ones: &'static [OnceLock<u64>] = ones.leak();
        let ones: Vec<_> = ones.iter().cycle().take(NUMBERS).collect();
        // LLVM may not know which copy is called.
        let copy = black_box(copy);
        move || (0..CALLS).map(|_| copy(&ones)).sum::<u64>()
    });
    Cell::new(name, CALLS * (NUMBERS as u64 + first), body)
}

/// Adds up numbers. Its time depends on where the linker puts it: two builds of
/// the Send tax once found a read of a `OnceLock` half as dear and half again as
/// dear as that of a `OnceCell`.
#[inline(never)]
fn read<const FIRST: u64>(numbers: &[&OnceLock<u64>]) -> u64 {
    let mut sum = FIRST;
    for number in numbers {
        sum += *number.get().expect("it was set");
        black_box(());
    }
    sum
}
