//! Experiment `score`: compares two libraries by a table of times, as the
//! published comparison does. How many of the wins does the next table
//! confirm?
//!
//! A table is the output of one start of a benchmark: for each operation, the
//! median of ten times, first for one library, then for the other. Being
//! ahead by more than 5 % wins an operation. Here, each process makes several
//! tables, and in each Tokio appears a second time, as its own opponent.

use std::cell::RefCell;

use harness::{Cell, Experiment};
use measurement::statistics::median;
use measurement::Source;
use runtimes::tokio::multi_thread;

use crate::families;
use crate::family::{Operation, Run};
use crate::operations::{How, Took};

/// True in a debug build, which only checks that the experiment works, with
/// as few measurements as possible.
const IS_TEST: bool = cfg!(debug_assertions);

/// As published: the number of untimed repetitions, the number of timed
/// repetitions, and the lead that wins an operation.
const WARM_UPS: usize = if IS_TEST { 0 } else { 5 };
const SAMPLES: usize = if IS_TEST { 1 } else { 10 };
const BAND: f64 = 0.05;

/// The minimum lead of a sure win in every table, as a fraction of the
/// winner's time.
const SURELY: f64 = 0.1;

const QUANTITIES: [&str; 7] = [
    "operations compared",
    "operations won",
    "operations lost",
    "operations tied",
    "operations that change sides",
    "operations won in each table",
    "operations lost in each table",
];

pub(crate) fn experiment() -> Experiment {
    let cells = |tables| OPPONENTS.map(|opponent| cell(opponent, tables));
    Experiment::new("score", "operations won", "tokio against smol")
        .cells(cells(2))
        .cells(cells(5).map(Cell::full_only))
}

/// The library that Tokio is compared with, and its times in a table.
#[derive(Clone, Copy)]
struct Opponent {
    name: &'static str,
    times: fn(&Table) -> &[f64],
}

const OPPONENTS: [Opponent; 2] = [
    Opponent { name: "tokio against smol", times: |table| &table.smol },
    Opponent {
        name: "tokio against itself",
        times: |table| &table.tokio_again,
    },
];

fn cell(opponent: Opponent, tables: usize) -> Cell {
    let take = move || {
        let tables = if IS_TEST { 2 } else { tables };
        let tables = made(tables)?;
        let ratios = tables.iter().map(|table| {
            let others = (opponent.times)(table).iter();
            others.zip(&table.tokio).map(|(other, own)| other / own).collect()
        });
        let ratios: Vec<Vec<f64>> = ratios.collect();
        Ok(Score::of(&ratios).figures().to_vec())
    };
    Cell::readings(opponent.name, Source::Harness, &QUANTITIES, take)
        .parameter("tables", tables as i64)
}

/// The result of comparing two libraries in several tables.
#[derive(Debug, PartialEq)]
struct Score {
    /// The number of operations that Tokio wins in the first table.
    won: usize,
    lost: usize,
    tied: usize,
    /// The average number of operations whose outcome (won, lost or tied)
    /// changes from one table to the next.
    changing: f64,
    /// The number of sure wins: operations that Tokio wins in every table by
    /// a lead of more than [`SURELY`].
    surely_won: usize,
    surely_lost: usize,
}

impl Score {
    /// Computes the score from several tables. Each table has one ratio per
    /// operation: the opponent's time divided by Tokio's.
    fn of(tables: &[Vec<f64>]) -> Score {
        let count = |is_so: &dyn Fn(usize) -> bool| {
            (0..tables[0].len()).filter(|&operation| is_so(operation)).count()
        };
        let side = |table: usize, operation: usize| {
            Side::of(tables[table][operation], BAND)
        };
        let surely = |side| {
            count(&|operation| {
                tables
                    .iter()
                    .all(|table| Side::of(table[operation], SURELY) == side)
            })
        };
        let changes = |next: usize| {
            count(&|operation| {
                side(next - 1, operation) != side(next, operation)
            })
        };
        let changes: usize = (1..tables.len()).map(changes).sum();
        Score {
            won: count(&|operation| side(0, operation) == Side::Ahead),
            lost: count(&|operation| side(0, operation) == Side::Behind),
            tied: count(&|operation| side(0, operation) == Side::Tied),
            changing: changes as f64 / (tables.len() - 1) as f64,
            surely_won: surely(Side::Ahead),
            surely_lost: surely(Side::Behind),
        }
    }

    fn figures(&self) -> [f64; QUANTITIES.len()] {
        [
            (self.won + self.lost + self.tied) as f64,
            self.won as f64,
            self.lost as f64,
            self.tied as f64,
            self.changing,
            self.surely_won as f64,
            self.surely_lost as f64,
        ]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Ahead,
    Tied,
    Behind,
}

impl Side {
    /// Returns the outcome for a library. `ratio` is the opponent's time
    /// divided by the library's time. A lead of at most `band` is a tie.
    fn of(ratio: f64, band: f64) -> Side {
        if ratio > 1.0 + band {
            Side::Ahead
        } else if 1.0 / ratio > 1.0 + band {
            Side::Behind
        } else {
            Side::Tied
        }
    }
}

/// The times of all operations that both libraries have, in nanoseconds.
#[derive(Clone)]
struct Table {
    tokio: Vec<f64>,
    smol: Vec<f64>,
    tokio_again: Vec<f64>,
}

thread_local! {
    /// The tables made so far in this process. All results are computed from
    /// these tables.
    static MADE: RefCell<Vec<Table>> = const { RefCell::new(Vec::new()) };
}

fn made(tables: usize) -> Result<Vec<Table>, String> {
    MADE.with_borrow_mut(|made| {
        let (tokio, smol) = matched()?;
        while made.len() < tables {
            made.push(Table {
                tokio: times(&tokio)?,
                smol: times(&smol)?,
                tokio_again: times(&tokio)?,
            });
        }
        Ok(made[..tables].to_vec())
    })
}

/// Returns the operations that both Tokio and smol support: Tokio's
/// operations, and smol's in the same order.
fn matched() -> Result<(Vec<Operation>, Vec<Operation>), String> {
    let of = |name| {
        let family = families::all().into_iter().find(|f| f.name == name);
        family
            .map(|family| family.operations)
            .ok_or(format!("no family is {name:?}"))
    };
    let smol = of("smol")?;
    let both = of("tokio")?.into_iter().filter_map(|operation| {
        let is_it = |other: &&Operation| other.name == operation.name;
        let other = smol.iter().find(is_it)?;
        (!matches!(operation.run, Run::Construction(_)))
            .then_some((operation, *other))
    });
    Ok(both.unzip())
}

fn times(operations: &[Operation]) -> Result<Vec<f64>, String> {
    operations.iter().map(time).collect()
}

/// Returns the median time of `operation`, in nanoseconds.
fn time(operation: &Operation) -> Result<f64, String> {
    let times = (operation.times)(How::Ours);
    let mut taken = Vec::new();
    for _ in 0..WARM_UPS + SAMPLES {
        let (took, answer) = run(operation.run);
        if answer != times {
            return Err(format!(
                "{}: {answer} instead of {times}",
                operation.name
            ));
        }
        taken.push(took.as_nanos() as f64 / times as f64);
    }
    Ok(median(&taken[WARM_UPS..]))
}

fn run(run: Run) -> Took {
    match run {
        Run::Here(run) | Run::Construction(run) => run(How::Ours),
        Run::InATask(run) | Run::InTasks(run) => {
            let runtime = multi_thread();
            let ran = runtime.block_on(runtime.spawn(run(How::Ours)));
            ran.expect("the task does not panic")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_are_counted_by_the_band_and_those_of_each_table_by_a_tenth() {
        let first = vec![1.06, 1.04, 1.0 / 1.06, 1.2, 0.5];
        let second = vec![1.04, 1.04, 1.06, 1.3, 0.6];
        let score = Score::of(&[first, second]);
        let expected = Score {
            won: 2,
            lost: 2,
            tied: 1,
            changing: 2.0,
            surely_won: 1,
            surely_lost: 1,
        };
        assert_eq!(score, expected);
    }
}
