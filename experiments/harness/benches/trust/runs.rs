//! How figures come from runs.

use std::collections::BTreeMap;

use anyhow::{Context, Error, Result};
use measurement::statistics::median;
use measurement::{Evidence, HeldOut, Predicate, Row, Run, Test, Verdict};

use crate::programs::{EMPTY, ONE, OTHER};

/// The runs so far: those of each experiment, oldest first.
#[derive(Default)]
pub(crate) struct Runs(pub(crate) BTreeMap<String, Vec<Run>>);

/// How many pairs there are of which something can be said, and how many of them
/// were called different.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) pairs: usize,
    /// By the interval of the mean, and of these, those of which the second takes longer.
    pub(crate) different: usize,
    pub(crate) longer: usize,
    /// By the order of runs.
    pub(crate) by_order: usize,
}

impl Tally {
    /// Adds pairs, the second of each judged against the first.
    fn judge(&mut self, evidence: &Evidence, pairs: Pairs) -> Result<()> {
        for [first, second] in pairs(&evidence.rows) {
            let ratio = evidence.ratio(second, first).map_err(Error::msg)?;
            let above = |test| Predicate::Above(1.0).judge(test, &ratio);
            let is_decided = |of| matches!(of, Verdict::Holds | Verdict::Fails);
            self.pairs += usize::from(ratio.mean.is_some());
            self.different += usize::from(is_decided(above(Test::Mean)));
            self.longer += usize::from(above(Test::Mean) == Verdict::Holds);
            self.by_order += usize::from(is_decided(above(Test::Order)));
        }
        Ok(())
    }
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
        let runs = self.0.first_key_value().into_iter().flat_map(|(_, of)| of);
        let links = runs.flat_map(|run| &run.header.builds);
        links.filter(|seed| **seed != 0).count()
    }

    /// Judges pairs by all runs of each experiment that is wanted.
    pub(crate) fn judge(
        &self,
        tally: &mut Tally,
        is_wanted: impl Fn(&str) -> bool,
        pairs: Pairs,
    ) -> Result<()> {
        let mut wanted = self.0.iter().filter(|(name, _)| is_wanted(name));
        wanted.try_for_each(|(_, runs)| {
            tally.judge(&Evidence::of_runs(runs, None), pairs)
        })
    }

    /// What the harness adds to an operation, in nanoseconds.
    pub(crate) fn added_ns(&self) -> Result<f64> {
        let time = |run: &Run, contender| {
            let row = run.rows.iter().find(|row| row.contender == contender);
            let measured = row.context("a row is missing")?.figures();
            Ok::<_, Error>(median(&measured.map_err(Error::msg)?.points))
        };
        let runs = self.0.get(EMPTY).into_iter().flatten();
        let added = runs.map(|run| Ok(time(run, ONE)? - time(run, OTHER)?));
        Ok(median(&added.collect::<Result<Vec<f64>>>()?))
    }

    /// Of each row whether the last run's estimate lies inside the interval of the
    /// earlier runs, as the book's own trial counts; of none with fewer than three
    /// runs, since two tell how much runs differ.
    pub(crate) fn confirmed(&self) -> Vec<bool> {
        let mut confirmed = Vec::new();
        for runs in self.0.values() {
            if let [before @ .., last] = &runs[..] {
                if before.len() > 1 {
                    let held_out = HeldOut::of(last, before, None);
                    let tried = held_out.rows().into_iter();
                    confirmed.extend(tried.map(|(_, of)| of.is_inside()));
                }
            }
        }
        confirmed
    }
}

/// Finds pairs among the rows of an experiment.
type Pairs = fn(&[Row]) -> Vec<[&Row; 2]>;

/// The contenders of each pair, the baseline first.
pub(crate) fn pairs(rows: &[Row]) -> Vec<[&Row; 2]> {
    behind(rows, |row| row.contender == OTHER, |_| ONE)
}

/// Each twin behind the cell that it is one of.
pub(crate) fn twins(rows: &[Row]) -> Vec<[&Row; 2]> {
    behind(rows, |row| row.twin_of.is_some(), |twin| &twin.contender)
}

/// Each row that is the second of a pair, behind that of the first contender at
/// its setting.
fn behind(
    rows: &[Row],
    is_second: fn(&Row) -> bool,
    first: fn(&Row) -> &str,
) -> Vec<[&Row; 2]> {
    let pair = |second| {
        let is_first = |row: &&Row| {
            row.twin_of.is_none()
                && row.contender == first(second)
                && row.same_setting(second)
        };
        Some([rows.iter().find(is_first)?, second])
    };
    rows.iter().filter(|row| is_second(row)).filter_map(pair).collect()
}
