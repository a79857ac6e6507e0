//! How figures come from runs.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::slice::from_ref;

use anyhow::{Context, Error, Result};
use measurement::statistics::median;
use measurement::{Evidence, HeldOut, Predicate, Row, Run, Test, Verdict};

use crate::programs::{EMPTY, ONE, OTHER, SECOND_COPIES};

/// The runs so far: those of each experiment, oldest first.
#[derive(Default)]
pub(crate) struct Runs(BTreeMap<String, Vec<Run>>);

/// How pairs were judged: by all runs together, and by each alone, which borrows
/// from all how much runs differ.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) together: Tally,
    pub(crate) alone: Tally,
}

/// How many pairs there are of which something can be said, and how many of them
/// were called different.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) pairs: usize,
    /// By the interval of the mean.
    pub(crate) different: usize,
    /// And of these, those of which the second takes longer.
    pub(crate) longer: usize,
    /// By the order of runs.
    pub(crate) by_order: usize,
}

impl AddAssign for Judged {
    fn add_assign(&mut self, more: Judged) {
        self.together += more.together;
        self.alone += more.alone;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.pairs += more.pairs;
        self.different += more.different;
        self.longer += more.longer;
        self.by_order += more.by_order;
    }
}

impl Tally {
    /// Judges pairs, the second of each against the first.
    fn of(evidence: &Evidence, pairs: Pairs) -> Result<Tally> {
        let mut tally = Tally::default();
        for [first, second] in pairs(&evidence.rows) {
            let ratio = evidence.ratio(second, first).map_err(Error::msg)?;
            let above = |test| Predicate::Above(1.0).judge(test, &ratio);
            let is_decided = |verdict: &Verdict| {
                matches!(verdict, Verdict::Holds | Verdict::Fails)
            };
            let by_mean = above(Test::Mean);
            tally += Tally {
                pairs: usize::from(ratio.mean.is_some()),
                different: usize::from(is_decided(&by_mean)),
                longer: usize::from(by_mean == Verdict::Holds),
                by_order: usize::from(is_decided(&above(Test::Order))),
            };
        }
        Ok(tally)
    }
}

/// The least and the most by which the cells of pairs lay apart in a link.
pub(crate) struct Apart {
    least: f64,
    most: f64,
}

impl Apart {
    /// Of ratios; `None` of none.
    fn of(ratios: &[f64]) -> Option<Apart> {
        let least = ratios.iter().copied().reduce(f64::min)?;
        let most = ratios.iter().copied().reduce(f64::max)?;
        Some(Apart { least, most })
    }
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} to {:.2} times as long", self.least, self.most)
    }
}

/// What a run made of the intervals of the earlier ones.
#[derive(Default)]
pub(crate) struct Confirmed {
    /// The rows that were tried.
    pub(crate) rows: usize,
    /// Those of them whose last estimate lies inside.
    pub(crate) inside: usize,
}

impl Runs {
    /// Adds one run of each experiment.
    pub(crate) fn add(&mut self, runs: Vec<Run>) {
        for run in runs {
            let experiment = run.header.experiment.clone();
            self.0.entry(experiment).or_default().push(run);
        }
    }

    /// Whether others used the machine during the last run.
    pub(crate) fn is_disturbed(&self) -> bool {
        let mut last = self.0.values().filter_map(|runs| runs.last());
        last.any(|run| run.header.is_disturbed())
    }

    /// How many links of the program were measured; none if it is always the one
    /// that cargo made.
    pub(crate) fn links(&self) -> usize {
        let runs = self.0.get(SECOND_COPIES).into_iter().flatten();
        let links = runs.flat_map(|run| &run.header.builds);
        links.filter(|seed| **seed != 0).count()
    }

    /// Judges the pairs of an experiment.
    pub(crate) fn judge(&self, experiment: &str) -> Result<Judged> {
        judge(self.of(experiment)?, pairs)
    }

    /// Judges each twin of all experiments against the cell that it is one of.
    pub(crate) fn judge_twins(&self) -> Result<Judged> {
        let mut judged = Judged::default();
        for runs in self.0.values() {
            judged += judge(runs, twins)?;
        }
        Ok(judged)
    }

    /// By how much the second copies lay apart from the first in a link, and by how
    /// much the first ones' twins, which are the same code in the same place.
    pub(crate) fn copies_apart(&self) -> Option<(Apart, Apart)> {
        let (mut copies, mut from_twin) = (Vec::new(), Vec::new());
        for run in self.0.get(SECOND_COPIES)? {
            for build in 0..run.header.builds.len() as u32 {
                let in_link = |pair| ratio_in_link(pair, build);
                copies.extend(pairs(&run.rows).into_iter().filter_map(in_link));
                from_twin
                    .extend(twins(&run.rows).into_iter().filter_map(in_link));
            }
        }
        Apart::of(&copies).zip(Apart::of(&from_twin))
    }

    /// What the harness adds to an operation, in nanoseconds.
    pub(crate) fn added_ns(&self) -> Result<f64> {
        let added = |run: &Run| {
            let time = |contender| {
                let row = run.rows.iter().find(|r| r.contender == contender);
                let row = row.context("a row is missing")?;
                let measured = row.figures().map_err(Error::msg)?;
                Ok::<_, Error>(median(&measured.points))
            };
            Ok::<_, Error>(time(ONE)? - time(OTHER)?)
        };
        let added: Vec<f64> =
            self.of(EMPTY)?.iter().map(added).collect::<Result<_>>()?;
        Ok(median(&added))
    }

    /// Of how many rows the last run's estimate lies inside the interval of the
    /// earlier runs, as the book's own trial counts; `None` of fewer than three
    /// runs, since two tell how much runs differ.
    pub(crate) fn confirmed(&self) -> Option<Confirmed> {
        let mut confirmed = Confirmed::default();
        for runs in self.0.values() {
            let (last, before) =
                runs.split_last().filter(|(_, before)| before.len() > 1)?;
            for (_, tried) in HeldOut::of(last, before, None).rows() {
                confirmed.rows += 1;
                confirmed.inside += usize::from(tried.is_inside());
            }
        }
        Some(confirmed)
    }

    fn of(&self, experiment: &str) -> Result<&[Run]> {
        let runs = self.0.get(experiment);
        let runs = runs.with_context(|| format!("{experiment} has no run"))?;
        Ok(runs)
    }
}

/// Finds pairs among the rows of an experiment.
type Pairs = fn(&[Row]) -> Vec<[&Row; 2]>;

/// Judges pairs by all runs of an experiment, and by each alone.
fn judge(runs: &[Run], pairs: Pairs) -> Result<Judged> {
    let evidence = Evidence::of_runs(runs, None);
    let together = Tally::of(&evidence, pairs)?;
    let mut alone = Tally::default();
    for run in runs {
        let lent = evidence.pools(&run.header.experiment);
        alone += Tally::of(&Evidence::of_runs(from_ref(run), lent), pairs)?;
    }
    Ok(Judged { together, alone })
}

/// The contenders of each pair, the baseline first.
fn pairs(rows: &[Row]) -> Vec<[&Row; 2]> {
    behind(rows, |row| row.contender == OTHER, |_| ONE)
}

/// Each twin behind the cell that it is one of.
fn twins(rows: &[Row]) -> Vec<[&Row; 2]> {
    behind(rows, |row| row.twin_of.is_some(), |twin| &twin.contender)
}

/// Each row that is the second of a pair, behind that of the first contender at
/// its setting.
fn behind<'a>(
    rows: &'a [Row],
    is_second: fn(&Row) -> bool,
    first: fn(&Row) -> &str,
) -> Vec<[&'a Row; 2]> {
    let pair = |second: &'a Row| {
        let is_first = |row: &&Row| {
            row.twin_of.is_none()
                && row.contender == first(second)
                && row.same_setting(second)
        };
        Some([rows.iter().find(is_first)?, second])
    };
    rows.iter().filter(|row| is_second(row)).filter_map(pair).collect()
}

/// How many times as long as the first of a pair the second takes in a link.
fn ratio_in_link(pair: [&Row; 2], build: u32) -> Option<f64> {
    let time = |row: &Row| {
        let measured = row.measured()?;
        let builds = &measured.visits.as_ref()?.build;
        let visits = builds.iter().zip(&measured.points);
        let times: Vec<f64> = visits
            .filter(|(of, _)| **of == build)
            .map(|(_, time)| *time)
            .collect();
        (!times.is_empty()).then(|| median(&times))
    };
    Some(time(pair[1])? / time(pair[0])?)
}
