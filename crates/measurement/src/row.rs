use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::name::{check_label, check_slug, InvalidName};
use crate::statistics::{self, Interval, Regime};
use crate::{unit_of, Parameter, Parameters, Unit, UnknownQuantity};

/// Where a row's figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Visits timed by criterion; at least six points.
    Criterion,
    /// Counted by the program itself, in a pass of its own.
    Counter,
    /// Seen by a tracer that stops the program at each system call, in a pass of its own.
    Ptrace,
    /// The kernel's account of the process.
    Getrusage,
    /// An HDR histogram of single latencies.
    Histogram,
    /// Taken by the harness.
    Harness,
    /// Simulated by valgrind's cachegrind.
    Cachegrind,
    /// The processor's counters.
    Hardware,
    /// Computed by a model.
    Simulation,
    /// Taken over from somebody else's run.
    Imported,
}

/// One measured quantity of one cell, or the reason why it could not be measured.
///
/// A row that exists is valid: reading one checks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawRow", into = "RawRow")]
pub struct Row {
    /// The experiment, for instance `units`.
    pub experiment: String,
    /// The implementation under comparison, for instance `tokio multi-thread`.
    pub contender: String,
    /// The setting at which it was measured.
    pub parameters: Parameters,
    /// What was measured, for instance `time per unit`.
    pub quantity: String,
    /// The unit of estimate, interval and points.
    pub unit: Unit,
    /// A difference of two measured quantities, which alone may be negative.
    pub difference: bool,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of measuring a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was measured.
    Measured(Measured),
    /// It could not be measured, for this reason.
    Failed(String),
}

/// The figures of a row, in the row's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The median of the points.
    pub estimate: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// One a visit, in (process, round) order; every process holds equally many.
    pub points: Vec<f64>,
    /// Where the points come from.
    pub source: Source,
    /// Follows from the points. Finding out takes a bootstrap, and it is asked for again and again.
    regimes: Option<[Regime; 2]>,
}

impl Measured {
    /// Summarises points that were taken in `processes` processes, in (process, round) order.
    pub fn from_points(points: Vec<f64>, processes: usize, source: Source) -> Measured {
        Measured::new(statistics::median_interval(&points, processes), points, source)
    }

    fn new(interval: Interval, points: Vec<f64>, source: Source) -> Measured {
        let Interval { estimate, low, high } = interval;
        let of_visits = Some(&points).filter(|_| source == Source::Criterion);
        let regimes = of_visits.and_then(|points| statistics::two_regimes(points));
        Measured { estimate, low, high, points, source, regimes }
    }

    /// The two regimes that the visits fall into, if they do: then no single figure tells it. Only
    /// visits have regimes; other points are few, or sum up many things themselves.
    pub fn regimes(&self) -> Option<[Regime; 2]> {
        self.regimes
    }

    /// The estimate with its interval.
    pub fn interval(&self) -> Interval {
        Interval { estimate: self.estimate, low: self.low, high: self.high }
    }
}

impl Row {
    /// The figures, unless the cell failed.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Failed(_) => None,
        }
    }

    /// The figures, or in words which row failed and why.
    ///
    /// # Errors
    ///
    /// If the cell failed.
    pub fn figures(&self) -> Result<&Measured, String> {
        match &self.outcome {
            Outcome::Measured(measured) => Ok(measured),
            Outcome::Failed(reason) => Err(format!("{}: {reason}", self.name())),
        }
    }

    /// What tells this row from the others of a run: `units: rayon, arm=ours, units=1000, time per unit`.
    /// A page asks for it in the same words.
    pub fn name(&self) -> String {
        let Row { experiment, contender, parameters, quantity, .. } = self;
        match parameters.0.is_empty() {
            true => format!("{experiment}: {contender}, {quantity}"),
            false => format!("{experiment}: {contender}, {parameters}, {quantity}"),
        }
    }

    /// Whether two rows are of the same experiment, setting and quantity, and so may be compared.
    pub fn same_setting(&self, other: &Row) -> bool {
        self.experiment == other.experiment
            && self.parameters == other.parameters
            && self.quantity == other.quantity
    }
}

/// A row as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    experiment: String,
    contender: String,
    #[serde(default)]
    parameters: Parameters,
    quantity: String,
    unit: Unit,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    difference: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// Why a row cannot be true.
#[derive(Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum Invalid {
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error(transparent)]
    Quantity(#[from] UnknownQuantity),
    #[error("{quantity:?} is measured in {expected}, not in {found}")]
    Unit { quantity: String, expected: Unit, found: Unit },
    #[error("a measured row needs estimate, low, high, points and source; a failed row has `failed` with the reason, and none of these")]
    Shape,
    #[error("`failed` gives no reason")]
    NoReason,
    #[error("{field} is {value}, which is no finite number")]
    NotFinite { field: &'static str, value: f64 },
    #[error("{field} is {value}: only a row with \"difference\":true may be negative")]
    Negative { field: &'static str, value: f64 },
    #[error("a wrong interval: low {low}, estimate {estimate} and high {high} do not stand in this order")]
    Order { low: f64, estimate: f64, high: f64 },
    #[error("a wrong interval: {low} to {high} reaches beyond the points, which lie between {min} and {max}")]
    Beyond { low: f64, high: f64, min: f64, max: f64 },
    #[error("the estimate is {estimate}, but the median of the points is {median}: figures are never edited by hand, measure again")]
    NotTheMedian { estimate: f64, median: f64 },
    #[error("a criterion row has at least six points, this one has {0}")]
    TooFewPoints(usize),
    #[error("there are no points")]
    NoPoints,
}

impl TryFrom<RawRow> for Row {
    type Error = Invalid;

    fn try_from(raw: RawRow) -> Result<Row, Invalid> {
        check_slug("experiment", &raw.experiment)?;
        check_label("contender", &raw.contender)?;
        for (name, value) in &raw.parameters.0 {
            check_label("parameter", name)?;
            match value {
                Parameter::Text(text) => check_label("the value of a parameter,", text)?,
                Parameter::Real(value) => finite("a parameter", *value)?,
                Parameter::Flag(_) | Parameter::Integer(_) => {}
            }
        }
        check_label("quantity", &raw.quantity)?;
        let expected = unit_of(&raw.quantity)?;
        if raw.unit != expected {
            return Err(Invalid::Unit { quantity: raw.quantity, expected, found: raw.unit });
        }
        let outcome = match (raw.estimate, raw.low, raw.high, raw.points, raw.source, raw.failed) {
            (Some(estimate), Some(low), Some(high), Some(points), Some(source), None) => {
                let measured = Measured::new(Interval { estimate, low, high }, points, source);
                check_figures(&measured, raw.difference)?;
                Outcome::Measured(measured)
            }
            (None, None, None, None, None, Some(reason)) => {
                if reason.trim().is_empty() {
                    return Err(Invalid::NoReason);
                }
                Outcome::Failed(reason)
            }
            _ => return Err(Invalid::Shape),
        };
        Ok(Row {
            experiment: raw.experiment,
            contender: raw.contender,
            parameters: raw.parameters,
            quantity: raw.quantity,
            unit: raw.unit,
            difference: raw.difference,
            outcome,
        })
    }
}

impl From<Row> for RawRow {
    fn from(row: Row) -> RawRow {
        let (measured, failed) = match row.outcome {
            Outcome::Measured(measured) => (Some(measured), None),
            Outcome::Failed(reason) => (None, Some(reason)),
        };
        RawRow {
            experiment: row.experiment,
            contender: row.contender,
            parameters: row.parameters,
            quantity: row.quantity,
            unit: row.unit,
            difference: row.difference,
            estimate: measured.as_ref().map(|m| m.estimate),
            low: measured.as_ref().map(|m| m.low),
            high: measured.as_ref().map(|m| m.high),
            source: measured.as_ref().map(|m| m.source),
            points: measured.map(|m| m.points),
            failed,
        }
    }
}

fn finite(field: &'static str, value: f64) -> Result<(), Invalid> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(Invalid::NotFinite { field, value }),
    }
}

fn check_figures(measured: &Measured, difference: bool) -> Result<(), Invalid> {
    let Measured { estimate, low, high, points, source, .. } = measured;
    let (estimate, low, high) = (*estimate, *low, *high);
    let figures = [("estimate", estimate), ("low", low), ("high", high)];
    let points_as_figures = points.iter().map(|point| ("a point", *point));
    for (field, value) in figures.into_iter().chain(points_as_figures) {
        finite(field, value)?;
        if value < 0.0 && !difference {
            return Err(Invalid::Negative { field, value });
        }
    }
    match points.len() {
        0 => return Err(Invalid::NoPoints),
        count @ 1..6 if *source == Source::Criterion => return Err(Invalid::TooFewPoints(count)),
        _ => {}
    }
    if !(low <= estimate && estimate <= high) {
        return Err(Invalid::Order { low, estimate, high });
    }
    let min = points.iter().copied().fold(f64::INFINITY, f64::min);
    let max = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Decimal text keeps a double exactly, but other writers may round its last digits.
    let tolerance = 1e-6 * min.abs().max(max.abs());
    let median = statistics::median(points);
    if (estimate - median).abs() > tolerance {
        return Err(Invalid::NotTheMedian { estimate, median });
    }
    if low < min - tolerance || high > max + tolerance {
        return Err(Invalid::Beyond { low, high, min, max });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visits_have_regimes() {
        let points = [[1.0; 8], [2.0; 8]].concat();
        let of = |source| Measured::from_points(points.clone(), 2, source).regimes();
        assert!(of(Source::Criterion).is_some());
        assert!(of(Source::Histogram).is_none());
    }
}
