//! What is measured: pairs of cells of which it is known whether they differ.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use harness::{stamp, Body, Cell, Chapter, Experiment, Program, StudyProgram};
use measurement::Source;

use crate::recorded;

/// Pairs of each kind. How much they scatter is known from eight at least.
const PAIRS_OF_KERNEL: usize = 10;
const PLANTED_PAIRS: usize = 25;

/// How many steps one of a planted pair does, and the other.
const STEPS: u64 = 1_000;
const MORE_STEPS: u64 = STEPS + STEPS / 20;

/// Pairs with a difference.
pub(crate) const PLANTED: &str = "planted";

/// An operation that does nothing: one is timed in visits, the other by hand.
pub(crate) const EMPTY: &str = "empty";

/// Pairs of one function under two names.
pub(crate) const SECOND_COPIES: &str = "second-copies";

/// An operation with stamps, which nobody records, and the same without.
pub(crate) const STAMPED: &str = "stamped";
const STAMPED_PAIRS: usize = 8;

/// The contenders of every pair.
pub(crate) const ONE: &str = "one";
pub(crate) const OTHER: &str = "the other";

pub(crate) const QUANTITY: &str = "time per operation";

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
    experiments.push(second_copies());
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
/// one.
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

/// How many numbers a copy adds up in a call, how often it is called in an
/// operation, and how many copies there are of each of the two functions.
const NUMBERS: u64 = 1_024;
const CALLS: u64 = 8;
const COPIES: usize = 8;

/// One function under several names, each with the number with which it begins:
/// the machine code of copies differs in that and in nothing else. Without it,
/// LLVM would merge them.
type Copies<I> = [(u64, fn(&[I]) -> u64); COPIES];

macro_rules! copies {
    ($function:ident: $($first:literal)*) => {
        [$(($first, $function::<$first> as fn(&[_]) -> u64)),*]
    };
}

/// Pairs of copies: where the linker puts them is all in which they differ.
fn second_copies() -> Experiment {
    let reads: Copies<&OnceLock<u64>> = copies!(read: 1 2 3 4 5 6 7 8);
    let parses: Copies<u8> = copies!(parse: 1 2 3 4 5 6 7 8);
    let places = reads.iter().map(|(_, read)| *read as usize);
    let places = places.chain(parses.iter().map(|(_, of)| *of as usize));
    let places: BTreeSet<usize> = places.collect();
    assert_eq!(places.len(), 2 * COPIES, "no two copies are one function");
    let numbered = (0..NUMBERS).map(number).sum();
    let cells = cells_of(0, reads, one_again_and_again, NUMBERS);
    let cells = cells.chain(cells_of(COPIES / 2, parses, text, numbered));
    Experiment::new(SECOND_COPIES, QUANTITY, ONE).cells(cells)
}

/// The pairs from `first_pair` on: each two copies that find `sum` in their input.
fn cells_of<I: 'static>(
    first_pair: usize,
    copies: Copies<I>,
    input: fn() -> Vec<I>,
    sum: u64,
) -> impl Iterator<Item = Cell> {
    copies.into_iter().enumerate().map(move |(place, (first, copy))| {
        let body = Body::here(move || {
            let input = input();
            // LLVM may not know which copy is called.
            let copy = black_box(copy);
            move || (0..CALLS).map(|_| copy(&input)).sum::<u64>()
        });
        let contender = if place % 2 == 0 { ONE } else { OTHER };
        Cell::new(contender, CALLS * (sum + first), body)
            .parameter("pair", (first_pair + place / 2) as i64)
    })
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

/// Some ones, each in its own place, in turn.
fn one_again_and_again() -> Vec<&'static OnceLock<u64>> {
    let ones: Vec<OnceLock<u64>> = (0..16).map(|_| OnceLock::from(1)).collect();
    let ones: &'static [OnceLock<u64>] = ones.leak();
    ones.iter().cycle().take(NUMBERS as usize).collect()
}

/// Adds up the numbers in a text. It branches at each byte.
#[inline(never)]
fn parse<const FIRST: u64>(text: &[u8]) -> u64 {
    let (mut sum, mut number) = (FIRST, 0);
    for byte in text {
        match byte {
            b'0'..=b'9' => number = 10 * number + u64::from(byte - b'0'),
            _ => sum += std::mem::take(&mut number),
        }
    }
    sum
}

/// Numbers of one to four digits, in no order.
fn text() -> Vec<u8> {
    (0..NUMBERS)
        .flat_map(|place| format!("{} ", number(place)).into_bytes())
        .collect()
}

fn number(place: u64) -> u64 {
    place * 7_919 % 1_009
}
