//! A `chart` block: what a chart is to show, as an author writes it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::figure::selector::Selector;
use crate::toml_block::{BlockError, wrong};

/// A fenced `chart` block: which rows, and how.
///
/// ```toml
/// id         = "spawn-cost.units"
/// title      = "A thread costs {{number units: std::thread, units=1000}}, a task {{number units: tokio multi-thread, units=1000}}"
/// kind       = "lines"
/// experiment = "units"
/// quantity   = "time per unit"
/// where      = { arm = "ours" }
/// x          = "units"
/// x-scale    = "log"
/// y-scale    = "log"
/// ```
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChartBlock {
    /// Stable id: the chapter, a dot, a few words.
    pub id: String,
    /// What was found, in a sentence; directives in it take the figures from the data.
    pub title: String,
    /// How rows are drawn.
    pub kind: ChartKind,
    /// What its rows have in common, by a name of a `figures` block, in place of the next three or
    /// beneath them.
    pub context: Option<String>,
    /// The experiment, of another chapter as `chapter/experiment`.
    #[serde(default)]
    pub experiment: String,
    /// The quantity that is drawn.
    #[serde(default)]
    pub quantity: String,
    /// Parameters that are fixed, or of which only some values are drawn, in a list; `contender` is
    /// one here, too.
    #[serde(default, rename = "where")]
    pub fixed: BTreeMap<String, toml::Value>,
    /// The parameter over which it is drawn: for lines the horizontal axis, for bars what names each
    /// group of them. `contender` for the contender.
    pub x: Option<String>,
    /// What a colour stands for: a parameter, or the contender, which it is by default.
    pub series: Option<String>,
    /// The scale of `x`, for lines.
    pub x_scale: Option<ScaleKind>,
    /// The scale of the quantity with which a reader meets the chart. A button offers the other one. If
    /// anything that is drawn reaches zero, there is only the linear one.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// Whether lines are drawn with their intervals, as they are by default. Where those of several
    /// lines would hide each other, the chart's table is enough.
    pub intervals: Option<bool>,
    /// The rungs of a ladder, in their order.
    #[serde(default)]
    pub rungs: Vec<Rung>,
    /// What each rung of a ladder is compared with; by default the one above it.
    pub against: Option<Against>,
}

/// A rung of a ladder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// What it is called in the chart.
    pub name: String,
    /// Its row, as far as the chart does not name it: `std::thread, units=1000`.
    pub row: String,
}

/// What a rung of a ladder is compared with, if not with the one above it, from which it is a step further.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The first rung, to which all others are alternatives.
    First,
}

/// Stands for the contender where a parameter may stand.
pub(super) const CONTENDER: &str = "contender";

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A line a series, in the band of its intervals, over a parameter that is a number.
    Lines,
    /// A bar a row, from zero; on a logarithmic scale, which has no zero, a point.
    Bars,
    /// A dot a visit, and the median with its interval.
    Distribution,
    /// A rung a row, and the factor by which each differs from the one above it, or from the first.
    Ladder,
}

impl ChartKind {
    /// Whether rows of two machines can stand in one picture.
    pub(super) fn overlays(self) -> bool {
        self != ChartKind::Ladder
    }

    /// Whether figures are on the horizontal axis.
    pub(super) fn is_lying(self) -> bool {
        self != ChartKind::Lines
    }
}

/// A scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleKind {
    /// From zero.
    #[default]
    Linear,
    /// By powers of ten.
    Log,
}

impl ScaleKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            ScaleKind::Linear => "linear",
            ScaleKind::Log => "log",
        }
    }
}

impl ChartBlock {
    /// The chapter whose rows it draws, on the page of a chapter.
    pub(super) fn chapter<'a>(&'a self, of_page: &'a str) -> &'a str {
        self.experiment.split_once('/').map_or(of_page, |(chapter, _)| chapter)
    }

    pub(super) fn experiment_name(&self) -> &str {
        self.experiment.split_once('/').map_or(&self.experiment, |(_, experiment)| experiment)
    }

    pub(super) fn x(&self) -> &str {
        self.x.as_deref().unwrap_or(CONTENDER)
    }

    /// What a colour stands for.
    pub(super) fn series(&self) -> &str {
        self.series.as_deref().unwrap_or(CONTENDER)
    }

    /// Whether intervals are drawn.
    pub(super) fn has_intervals(&self) -> bool {
        self.intervals.unwrap_or(true)
    }

    pub(super) fn is_to_first(&self) -> bool {
        self.against.is_some()
    }

    /// Takes from its context what it does not say itself: all but what `x` or `series` is.
    pub(super) fn fill(&mut self, context: Selector) {
        let Selector { chapter, experiment, contender, parameters, quantity } = context;
        if self.experiment.is_empty() {
            let chapter = chapter.map(|chapter| chapter + "/");
            self.experiment = chapter.unwrap_or_default() + &experiment;
        }
        if self.quantity.is_empty() {
            self.quantity = quantity.unwrap_or_default();
        }
        let contender = contender.map(|contender| (CONTENDER.to_owned(), contender));
        for (name, value) in parameters.into_iter().chain(contender) {
            let mut drawn = [&self.x, &self.series].into_iter().flatten();
            if drawn.all(|drawn| *drawn != name) {
                self.fixed.entry(name).or_insert(toml::Value::String(value));
            }
        }
    }

    /// Checks that the keys fit the kind.
    pub(super) fn check(&self) -> Result<(), BlockError> {
        use ChartKind::{Bars, Distribution, Ladder, Lines};
        if self.experiment.is_empty() || self.quantity.is_empty() {
            wrong!(
                "context",
                "an `experiment` and a `quantity` are missing, or a `context` that names them"
            );
        }
        let kind = self.kind;
        for (key, is_given, kinds, whose) in [
            ("x-scale", self.x_scale.is_some(), &[Lines][..], "lines have a scale of x"),
            ("intervals", self.intervals.is_some(), &[Lines], "lines go without intervals"),
            (
                "series",
                self.series.is_some(),
                &[Lines, Bars, Distribution],
                "lines, bars and distributions have series",
            ),
            ("rungs", !self.rungs.is_empty(), &[Ladder], "a ladder has rungs"),
            ("against", self.against.is_some(), &[Ladder], "a ladder compares rungs"),
            (
                "x",
                self.x.is_some(),
                &[Lines, Bars, Distribution],
                "lines, bars and distributions have an x: name the rungs of a ladder under `rungs`",
            ),
        ] {
            if is_given && !kinds.contains(&kind) {
                wrong!(key, "only {whose}");
            }
        }
        let missing = match kind {
            Ladder if self.rungs.len() < 2 => {
                "a ladder has two `rungs` at least: { name = \"...\", row = \"...\" }"
            }
            Ladder => return Ok(()),
            _ if self.x.is_none() => "an `x` is missing",
            _ => return Ok(()),
        };
        Err(BlockError::new("kind", missing))
    }
}

/// A value as rows have it.
pub(super) fn value_text(value: &toml::Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}
