//! Experiment `same-against-same`: the apparent difference between identical
//! programs after a number of rounds, for several ways to summarise their
//! times.

use std::cell::RefCell;
use std::collections::hash_map::{Entry, HashMap};
use std::time::Duration;

use harness::{Cell, Experiment, Plan, StudyProgram, Visited};
use measurement::{Profile, Source};

use crate::listings::same_against_same::{mean, median, paired_median};

/// Returns the ratio of two programs' times. Each slice holds the times of
/// one program, one per round.
type Summary = fn(&[f64], &[f64]) -> f64;

const SUMMARIES: [(&str, Summary); 3] = [
    ("mean", mean::ratio_of_means),
    ("median", median::ratio_of_medians),
    ("paired median", paired_median::median_of_ratios),
];

const ROUNDS: [usize; 5] = [1, 2, 5, 10, 20];

/// The minimum number of rounds to measure. If a comparison needs fewer
/// rounds, the measured rounds are split into several comparisons.
const LEAST_ROUNDS: usize = 10;

/// True in a debug build, which only checks that the experiment works, with
/// as few measurements as possible.
const IS_TEST: bool = cfg!(debug_assertions);

const TWINS: usize = if IS_TEST { 2 } else { 6 };

/// The share of pairs of identical programs whose difference doesn't exceed
/// the reported difference.
const SHARE_BELOW: f64 = 0.95;

pub(crate) fn experiment() -> Experiment {
    let [.., paired] = SUMMARIES;
    let multi_thread = SUMMARIES.map(|of| (StudyProgram::MultiThread, of));
    let all =
        multi_thread.into_iter().chain([(StudyProgram::SingleThread, paired)]);
    let cells = all.flat_map(|(kernel, summary)| {
        ROUNDS.map(|rounds| cell(kernel, rounds, summary))
    });
    Experiment::new("same-against-same", "share", "paired median").cells(cells)
}

fn cell(
    kernel: StudyProgram,
    rounds: usize,
    (name, summary): (&str, Summary),
) -> Cell {
    let take = move || Ok(vec![difference(kernel, rounds, summary)?]);
    let cell = Cell::readings(name, Source::Harness, &["share"], take)
        .parameter("kernel", kernel.name())
        .parameter("rounds", rounds as i64);
    if rounds <= LEAST_ROUNDS {
        cell
    } else {
        cell.full_only()
    }
}

/// Returns the difference from 1 that the ratio of two identical programs
/// rarely exceeds after `rounds` rounds.
fn difference(
    kernel: StudyProgram,
    rounds: usize,
    summary: Summary,
) -> Result<f64, String> {
    let rounds = if IS_TEST { rounds.min(2) } else { rounds };
    let all = if IS_TEST { rounds } else { rounds.max(LEAST_ROUNDS) };
    let visits = visits(kernel, all)?;
    let mut differences = Vec::new();
    for first in (0..all).step_by(rounds) {
        let part = first..first + rounds;
        for one in 0..TWINS {
            for other in 0..one {
                let ratio = summary(
                    &visits[one][part.clone()],
                    &visits[other][part.clone()],
                );
                differences.push(ratio.max(1.0 / ratio) - 1.0);
            }
        }
    }
    differences.sort_by(f64::total_cmp);
    let below = differences.len() as f64 * SHARE_BELOW;
    Ok(differences[below.ceil() as usize - 1])
}

/// Several copies of the same program, and their times, round by round.
struct Study {
    twins: Vec<Visited>,
    times: Vec<Vec<f64>>,
    rounds: usize,
}

thread_local! {
    /// The measurements made so far in this process. All results for a
    /// program are computed from these measurements.
    static STUDIES: RefCell<HashMap<StudyProgram, Study>> = RefCell::default();
}

/// Returns the times of all copies of `kernel` in the first `rounds` rounds.
/// Measures any rounds that haven't been measured yet.
fn visits(
    kernel: StudyProgram,
    rounds: usize,
) -> Result<Vec<Vec<f64>>, String> {
    STUDIES.with_borrow_mut(|studies| {
        let study = match studies.entry(kernel) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Study::new(kernel)?),
        };
        while study.rounds < rounds {
            study.round()?;
        }
        let first = |times: &Vec<f64>| times[..rounds].to_vec();
        Ok(study.times.iter().map(first).collect())
    })
}

impl Study {
    fn new(kernel: StudyProgram) -> Result<Study, String> {
        let plan = Plan {
            warm_up: Duration::from_millis(2),
            sample: Duration::from_millis(1),
            ..Plan::new(Profile::Quick)
        };
        let twin = |_| Visited::new(&kernel.body(), kernel.answer(), &plan);
        let twins = (0..TWINS).map(twin).collect::<Result<_, _>>()?;
        Ok(Study { twins, times: vec![Vec::new(); TWINS], rounds: 0 })
    }

    /// Measures each copy of the program once, in random order.
    fn round(&mut self) -> Result<(), String> {
        let mut order: Vec<usize> = (0..TWINS).collect();
        fastrand::shuffle(&mut order);
        for twin in order {
            self.times[twin].push(self.twins[twin].visit()?);
        }
        self.rounds += 1;
        Ok(())
    }
}
