//! Combines the results of all runs of a machine into evidence for claims.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;

use crate::combined::{Combined, EvidenceRow};
use crate::estimate::Estimate;
use crate::gather::gather;
use crate::interval::{Pool, Sample, Scale};
use crate::quantity::{is_part, SHARE};
use crate::scattered::Scattered;
use crate::{Measured, Outcome, Row, Run, RunHeader, Source};

/// The evidence from all runs of a machine, for experiments of one chapter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The rows, without duplicates. Twins, that is, cells measured a second time under another
    /// name, have rows of their own.
    pub rows: Vec<EvidenceRow>,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
struct Part {
    headers: Vec<RunHeader>,
    pools: Pools,
}

/// The run-to-run and build-to-build variances of a machine's rows, by kind of row. A machine
/// with a single run can borrow these values from another machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pools(Arc<HashMap<Kind, Pool>>);

/// A kind of rows that share their variances: all rows of one quantity in an experiment, or the
/// ratios of such rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Kind {
    quantity: String,
    is_ratio: bool,
}

impl Kind {
    fn of(row: &EvidenceRow, is_ratio: bool) -> Kind {
        Kind { quantity: row.quantity.clone(), is_ratio }
    }
}

impl Pools {
    fn of<'a>(rows: impl Iterator<Item = &'a EvidenceRow>) -> Pools {
        let mut samples: HashMap<Kind, Vec<Sample>> = HashMap::new();
        // The first row of each group. The other rows of the group are compared with it.
        let mut firsts: HashMap<(&str, &str), &Sample> = HashMap::new();
        for row in rows {
            let Some(Combined { sample: Some(sample), .. }) = row.measured() else { continue };
            // Twins are left out: they differ less than different contenders do.
            if row.twin_of.is_some() || sample.scale != Scale::Log {
                continue;
            }
            samples.entry(Kind::of(row, false)).or_default().push(sample.clone());
            let Some(group) = &row.group else { continue };
            let first = *firsts.entry((group, &row.quantity)).or_insert(sample);
            let ratio = Sample::of_both(sample, first, Scale::Log);
            if let Some(ratio) = ratio.filter(|_| !std::ptr::eq(sample, first)) {
                samples.entry(Kind::of(row, true)).or_default().push(ratio);
            }
        }
        let pools = samples.into_iter().filter_map(|(kind, of)| Some((kind, Pool::of(&of)?)));
        Pools(Arc::new(pools.collect()))
    }
}

/// The reason why two rows have no ratio.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub enum NoRatio {
    /// At least one of the rows was not measured, or no run measured both.
    Unmeasured(String),
    /// Both rows were measured, but at least one of the figures may be zero.
    ReachesZero(String),
}

impl Evidence {
    /// Combines a machine's runs of one experiment, oldest first. If there is only one run, the
    /// run-to-run variance is taken from `lent`.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>, lent: Option<&Pools>) -> Evidence {
        // Only this function is generic; the rest is compiled once, in this package.
        Evidence::of_all(&runs.into_iter().collect::<Vec<_>>(), lent)
    }

    fn of_all(runs: &[&Run], lent: Option<&Pools>) -> Evidence {
        assert!(!runs.is_empty(), "evidence is of one run at least");
        let headers = runs.iter().map(|run| run.header.clone()).collect();
        let rows = gather(runs);
        let pools = match runs {
            [_] => lent.cloned().unwrap_or_default(),
            _ => Pools::of(rows.values()),
        };
        let part = Part { headers, pools };
        let told: Vec<_> = rows.values().map(|row| part.told(row, &rows)).collect();
        let mut rows: Vec<EvidenceRow> = rows.into_values().collect();
        for (row, told) in rows.iter_mut().zip(told) {
            if let (Outcome::Measured(combined), Some(told)) = (&mut row.outcome, told) {
                (combined.estimate, combined.magnified) = told;
            }
        }
        Evidence { rows, parts: vec![part] }
    }

    /// Creates evidence from the rows of a single run, which stay unchanged. Used for recordings,
    /// whose run-to-run variance is unknown.
    pub fn of_found(header: RunHeader, rows: impl Iterator<Item = Row>) -> Evidence {
        let combined =
            |of: &Measured| Combined::of(of.interval(), of.points.clone(), of.source, None);
        let row = |row: Row| {
            row.with(match &row.outcome {
                Outcome::Measured(measured) => Outcome::Measured(combined(measured)),
                Outcome::Failed(reason) => Outcome::Failed(reason.clone()),
            })
        };
        let parts = vec![Part { headers: vec![header], pools: Pools::default() }];
        Evidence { rows: rows.map(row).collect(), parts }
    }

    /// Joins the evidence of several experiments of a chapter.
    pub fn join(parts: impl IntoIterator<Item = Evidence>) -> Evidence {
        let mut all = Evidence::default();
        for evidence in parts {
            all.rows.extend(evidence.rows);
            all.parts.extend(evidence.parts);
        }
        all
    }

    /// Returns the headers of all runs of an experiment, oldest first. If an experiment was both
    /// measured and recorded, only the measuring runs are returned.
    pub fn headers(&self, experiment: &str) -> &[RunHeader] {
        self.part(experiment).map_or(&[], |part| &part.headers)
    }

    /// Returns the headers of all runs of all experiments.
    pub fn all_headers(&self) -> impl Iterator<Item = &RunHeader> {
        self.parts.iter().flat_map(|part| &part.headers)
    }

    /// Returns the share of the scheduled requests that were answered when the row was measured,
    /// or `None` if requests weren't sent on a schedule. Only the first row of a cell stores
    /// these counts.
    pub fn answered(&self, row: &EvidenceRow) -> Option<f64> {
        let is_of_the_cell = |other: &&EvidenceRow| {
            other.experiment == row.experiment
                && other.contender == row.contender
                && other.parameters == row.parameters
                && other.twin_of == row.twin_of
        };
        let mut shares = self.rows.iter().filter(is_of_the_cell);
        shares.find_map(|row| row.measured()?.answered)
    }

    /// Returns how many boots of the machine an experiment's runs were spread over. Runs without
    /// a boot id count as one boot.
    pub fn boots(&self, experiment: &str) -> usize {
        let boot = |header: &RunHeader| header.host.as_ref().and_then(|host| host.boot.clone());
        self.headers(experiment).iter().map(boot).collect::<BTreeSet<_>>().len()
    }

    /// Returns the variances of an experiment's rows, which a machine with a single run can
    /// borrow.
    pub fn pools(&self, experiment: &str) -> Option<&Pools> {
        self.part(experiment).map(|part| &part.pools)
    }

    fn part(&self, experiment: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.headers[0].experiment == experiment)
    }

    /// Returns the ratio `numerator / denominator` of two rows. Divides build by build where both
    /// rows were measured with the same build.
    ///
    /// Fails if either row failed or may be zero, or if no run measured both rows.
    pub fn ratio(
        &self,
        numerator: &EvidenceRow,
        denominator: &EvidenceRow,
    ) -> Result<Estimate, NoRatio> {
        let (part, [n, d], sample) =
            self.pair(numerator, denominator, Scale::Log).map_err(NoRatio::Unmeasured)?;
        let is_zero = |sample: &Sample| sample.links.values().any(|value| *value <= 0.0);
        let reaches_zero = |of: &Combined| of.sample.as_ref().is_some_and(is_zero);
        if reaches_zero(n) || reaches_zero(d) {
            return Err(NoRatio::ReachesZero(if numerator.difference || denominator.difference {
                "a difference is not above zero in every link, so there is no ratio".to_owned()
            } else {
                let zero = if reaches_zero(d) { denominator } else { numerator };
                format!("{:?} reaches zero, so it has no ratio", zero.name())
            }));
        }
        // The variance of a measured row is half that of a ratio of two rows. The relative
        // variance of a difference is larger: it grows with the square of `magnified`.
        let magnified = |row: &EvidenceRow, of: &Combined| {
            if row.difference {
                of.magnified.powi(2)
            } else {
                0.5
            }
        };
        let size = (magnified(numerator, n) + magnified(denominator, d)).sqrt();
        let visits: Vec<f64> = sample.links.values().copied().collect();
        let visits = if may_be_anywhere(numerator) { &[] } else { &visits[..] };
        Ok(part.estimate(&Kind::of(numerator, true), &sample, size, visits))
    }

    /// Returns the difference `row - less` of two rows. Subtracts build by build where both rows
    /// were measured with the same build.
    ///
    /// Fails if either row failed, if the units differ, or if no run measured both rows.
    pub fn difference(&self, row: &EvidenceRow, less: &EvidenceRow) -> Result<EvidenceRow, String> {
        if row.unit != less.unit {
            let (row, less) = (row.name(), less.name());
            return Err(format!("{row:?} and {less:?} are in different units"));
        }
        let (part, known, sample) = self.pair(row, less, Scale::Linear)?;
        let [size, of_less] = known.map(|of| of.estimate.next.estimate.abs());
        let size = size.max(of_less);
        let estimate = part.estimate(&Kind::of(row, true), &sample, size, &[]);
        let points = sample.links.values().copied().collect();
        let magnified = magnified(size, &sample);
        let combined = Combined::of(estimate.next, points, row.figures()?.source, Some(sample));
        let outcome = Outcome::Measured(Combined { estimate, magnified, ..combined });
        Ok(Row { difference: true, ..row.with(outcome) })
    }

    /// Returns the part of the evidence that contains both rows, then the figures of each row,
    /// then the sample of their ratio or difference.
    fn pair<'a>(
        &'a self,
        one: &'a EvidenceRow,
        other: &'a EvidenceRow,
        scale: Scale,
    ) -> Result<(&'a Part, [&'a Combined; 2], Sample), String> {
        let known = [one.figures()?, other.figures()?];
        let pair = || {
            let part = self.part(&one.experiment).filter(|_| one.experiment == other.experiment)?;
            let [one, other] = known.map(|of| of.sample.as_ref());
            let both = Sample::of_both(one?, other?, scale)?;
            Some((part, known, both))
        };
        pair().ok_or_else(|| {
            let (one, other) = (one.name(), other.name());
            format!(
                "{one:?} and {other:?} were never measured in one run, so they have no ratio and no \
                 difference"
            )
        })
    }
}

impl Part {
    /// Returns a row's estimate and its magnification, that is, how many times larger the
    /// measured values are than the figure computed from them. Returns `None` if the row failed.
    fn told(
        &self,
        row: &EvidenceRow,
        all: &IndexMap<String, EvidenceRow>,
    ) -> Option<(Estimate, f64)> {
        let Combined { sample, points, .. } = row.measured()?;
        let sample = sample.as_ref()?;
        let sides = match &row.derived_from[..] {
            [minuend, subtrahend] => all.get(minuend).zip(all.get(subtrahend)),
            _ => None,
        };
        let size = |row: &EvidenceRow| Some(row.measured()?.sample.as_ref()?.centre().abs());
        let (of_kind, size) = match sides {
            Some((minuend, subtrahend)) => (minuend, size(minuend)?.max(size(subtrahend)?)),
            None if sample.scale == Scale::Log => (row, 1.0),
            None => (row, size(row)?),
        };
        let kind = Kind::of(of_kind, sides.is_some());
        let visits = if may_be_anywhere(row) { &[] } else { &points[..] };
        let mut told = self.estimate(&kind, sample, size, visits);
        if sample.is_alone() && !self.pools.0.contains_key(&kind) {
            // A percentile over all measuring windows of a run already has an interval, computed
            // by the run.
            told.next = row.measured()?.estimate.next;
        }
        let [least, most] = bounds(row, all);
        told.next = told.next.within(least, most);
        told.mean = told.mean.map(|mean| mean.within(least, most));
        Some((told, sides.map_or(1.0, |_| magnified(size, sample))))
    }

    /// Returns the estimate of a row of `kind`, from one figure per build. Marks it as scattered
    /// if too few of the single measurements in `visits` are near it.
    fn estimate(&self, kind: &Kind, sample: &Sample, size: f64, visits: &[f64]) -> Estimate {
        let (next, mean) = sample.intervals(self.pools.0.get(kind), size);
        Estimate { next, mean, scattered: Scattered::of(visits, next.estimate) }
    }
}

/// Returns whether a single measurement may be far from the row's figure without being
/// suspicious. This is true for differences, which may be near zero, and for percentiles, which
/// summarise many latencies.
fn may_be_anywhere(row: &EvidenceRow) -> bool {
    row.difference || row.measured().is_some_and(|of| of.source == Source::Histogram)
}

/// The largest plausible share of a whole. It is above 1 because a part may be measured as
/// slightly larger than its whole, for example if memory is read twice.
const ALL: f64 = 1.05;

/// Returns the lower and the upper bound of a row's figure. Only a difference can be negative. A
/// part of a whole is at most 1, or at most the greatest measured value if that is larger.
fn bounds(row: &EvidenceRow, all: &IndexMap<String, EvidenceRow>) -> [f64; 2] {
    if row.difference {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    // Returns the greatest measured value, or 1 if all are smaller.
    let most = |row: &EvidenceRow| {
        row.measured().map_or(1.0, |m| m.points.iter().copied().fold(1.0, f64::max))
    };
    let is_part = match row.quantity.as_str() {
        // If some share is clearly above 1, shares are not parts of a whole in this experiment.
        SHARE => !all.values().any(|other| other.quantity == SHARE && most(other) > ALL),
        quantity => is_part(quantity),
    };
    [0.0, if is_part { most(row) } else { f64::INFINITY }]
}

/// Returns the magnification of a difference of two figures. This is `size`, the larger of the
/// two, divided by the difference.
fn magnified(size: f64, difference: &Sample) -> f64 {
    size / difference.centre().abs().max(f64::MIN_POSITIVE)
}
