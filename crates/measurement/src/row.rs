//! A row: one quantity of one cell, either measured or failed with a reason. A cell is one
//! contender at one setting of the parameters.

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;
use crate::measured::{Fit, Measured, Source, Visits, Window};
use crate::name_check::{check_label, check_texts};
use crate::statistics::Interval;
use crate::{shortened, unit_of, Parameters, Unit};

/// One quantity of one cell, with its figures or the reason why they could not be measured. Holds
/// the result of one run or, as [`EvidenceRow`](crate::EvidenceRow), of all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row<Figures = Measured> {
    /// The experiment, for instance `units`. In a file, only the run's header names it.
    #[serde(skip)]
    pub experiment: String,
    /// The implementation that was measured, for instance `tokio multi-thread`.
    pub contender: String,
    /// The setting at which the quantity was measured.
    pub parameters: Parameters,
    /// The measured quantity, for instance `time per unit`.
    pub quantity: String,
    /// The unit of the estimate, the interval and the points.
    pub unit: Unit,
    /// True for a difference of two measured quantities. Only differences may be negative.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub difference: bool,
    /// The group of measurements that took turns with this one; absent if the cell was measured
    /// alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The contender whose twin this row is. A twin is the same cell, measured a second time in
    /// its group under another name, to see how much two equal cells differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
    /// The names of the rows from which this row was computed; empty for a measured row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived_from: Vec<String>,
    /// The result.
    #[serde(flatten)]
    pub outcome: Outcome<Figures>,
}

/// The result of a measurement: the figures, or the reason why there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
// The large variant is by far the most frequent one, so boxing it would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Outcome<Figures = Measured> {
    /// The measurement failed, for the given reason.
    #[serde(rename = "failed")]
    Failed(String),
    /// The measured figures.
    #[serde(untagged)]
    Measured(Figures),
}

impl Row {
    /// Creates a row that belongs to no group. Shortens a long reason for a failure.
    pub fn new(
        experiment: &str,
        contender: &str,
        parameters: Parameters,
        quantity: &str,
        outcome: Outcome,
    ) -> Row {
        let outcome = match outcome {
            Outcome::Failed(reason) => Outcome::Failed(shortened(&reason).into_owned()),
            measured => measured,
        };
        Row {
            experiment: experiment.to_owned(),
            contender: contender.to_owned(),
            parameters,
            quantity: quantity.to_owned(),
            unit: unit_of(quantity).unwrap_or_else(|unknown| panic!("{unknown}")),
            difference: false,
            group: None,
            twin_of: None,
            derived_from: Vec::new(),
            outcome,
        }
    }
}

impl<Figures> Row<Figures> {
    /// Returns a row of the same quantity and setting, with `outcome` instead of its own outcome.
    pub(crate) fn with<Other>(&self, outcome: Outcome<Other>) -> Row<Other> {
        Row {
            experiment: self.experiment.clone(),
            contender: self.contender.clone(),
            parameters: self.parameters.clone(),
            quantity: self.quantity.clone(),
            unit: self.unit,
            difference: self.difference,
            group: self.group.clone(),
            twin_of: self.twin_of.clone(),
            derived_from: self.derived_from.clone(),
            outcome,
        }
    }

    /// Returns the figures, or `None` if the measurement failed.
    pub fn measured(&self) -> Option<&Figures> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Failed(_) => None,
        }
    }

    /// Returns the figures. If the measurement failed, the error names the row and gives the
    /// reason.
    pub fn figures(&self) -> Result<&Figures, String> {
        match &self.outcome {
            Outcome::Measured(measured) => Ok(measured),
            Outcome::Failed(reason) => Err(format!("{}: {reason}", self.name())),
        }
    }

    /// Returns the row's name, which is unique within a run: `units: rayon, arm=ours, units=1000,
    /// time per unit`. Pages use this name to select the row.
    pub fn name(&self) -> String {
        let Row { experiment, contender, parameters, quantity, .. } = self;
        let comma = if parameters.0.is_empty() { "" } else { ", " };
        let twin = if self.twin_of.is_some() { ", twin" } else { "" };
        format!("{experiment}: {contender}{comma}{parameters}, {quantity}{twin}")
    }

    /// Returns whether two rows agree in experiment, setting and quantity, so that they may be
    /// compared.
    pub fn same_setting(&self, other: &Row<Figures>) -> bool {
        self.experiment == other.experiment
            && self.parameters == other.parameters
            && self.quantity == other.quantity
    }
}

/// A row as parsed, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRow {
    /// The experiment. Most runs name it only in their header.
    pub(crate) experiment: Option<String>,
    contender: String,
    #[serde(default)]
    parameters: Parameters,
    quantity: String,
    unit: Unit,
    #[serde(default)]
    difference: bool,
    group: Option<String>,
    twin_of: Option<String>,
    #[serde(default)]
    derived_from: Vec<String>,
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    points: Option<Vec<f64>>,
    #[serde(default)]
    at: Vec<u32>,
    #[serde(default)]
    turn: Vec<u32>,
    #[serde(default)]
    build: Vec<u32>,
    #[serde(default)]
    probe: Vec<f64>,
    window: Option<Window>,
    fit: Option<Fit>,
    source: Option<Source>,
    failed: Option<String>,
}

impl RawRow {
    /// Checks the figures, and creates a row of `experiment`.
    pub(crate) fn check(self, experiment: &str) -> Result<Row, String> {
        let RawRow { contender, parameters, quantity, unit, difference, .. } = self;
        check_label("contender", &contender)?;
        parameters.check()?;
        check_label("quantity", &quantity)?;
        check_label("twin_of", self.twin_of.as_ref().unwrap_or(&contender))?;
        let expected = unit_of(&quantity)?;
        ensure!(unit == expected, "{quantity:?} is measured in {expected}, not in {unit}");
        let figures = (self.estimate, self.low, self.high, self.points, self.source, self.failed);
        let outcome = match figures {
            (Some(estimate), Some(low), Some(high), Some(points), Some(source), None) => {
                let visits =
                    Visits { at: self.at, turn: self.turn, build: self.build, probe: self.probe };
                let measured = Measured {
                    visits: Some(visits).filter(|visits| *visits != Visits::default()),
                    window: self.window,
                    fit: self.fit,
                    ..Measured::new(Interval { estimate, low, high }, points, source)
                };
                measured.check(unit, &quantity, difference)?;
                Outcome::Measured(measured)
            }
            (None, None, None, None, None, Some(reason)) => {
                ensure!(!reason.trim().is_empty(), "`failed` gives no reason");
                check_texts("`failed`", [&reason])?;
                Outcome::Failed(reason)
            }
            _ => return Err(
                "a measured row needs estimate, low, high, points and source; a failed row has \
                            `failed` with the reason, and none of these"
                    .to_owned(),
            ),
        };
        let RawRow { group, twin_of, derived_from, .. } = self;
        check_texts("`group` or `derived_from`", group.iter().chain(&derived_from))?;
        let experiment = experiment.to_owned();
        Ok(Row {
            experiment,
            contender,
            parameters,
            quantity,
            unit,
            difference,
            group,
            twin_of,
            derived_from,
            outcome,
        })
    }
}
