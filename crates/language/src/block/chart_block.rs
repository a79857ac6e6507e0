//! A `chart` block: an author's description of a chart.

use std::collections::BTreeMap;

use measurement::Parameter;
use serde::Deserialize;

use super::toml_block::{At as _, BlockError};
use crate::names::FigureNames;
use crate::selector::Selector;
use crate::wrong;

/// A fenced `chart` block: its rows, and how they are drawn.
///
/// ```toml
/// id         = "spawn-cost.units"
/// title      = "A thread costs {{number units: std::thread, units=1000}}, a task {{number units: tokio multi-thread, units=1000}}"
/// kind       = "lines"
/// context    = "units: arm=ours, time per unit"
/// where      = { contender = ["std::thread", "tokio multi-thread"] }
/// x          = "units"
/// x-scale    = "log"
/// y-scale    = "log"
/// ```
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChartBlock {
    /// The stable id: the chapter, a dot, a few words.
    pub id: String,
    /// The finding, in a sentence; directives in it take the figures from the data.
    pub title: String,
    /// How rows are drawn.
    pub kind: ChartKind,
    /// The common part of its rows, as a selector: `experiment: parameter=value, quantity`, or a
    /// name of a `figures` block.
    pub context: String,
    /// The parsed selector, without `x`, `series` and `where`.
    #[serde(skip)]
    pub rows: Selector,
    /// Parameters with only some values drawn; `contender` is one here, too.
    #[serde(default, rename = "where")]
    pub some: BTreeMap<String, Vec<Parameter>>,
    /// The parameter over which it is drawn: the horizontal axis of lines, or the groups of bars.
    /// `contender` for the contender.
    pub x: Option<String>,
    /// The meaning of a colour: a parameter, or by default the contender.
    pub series: Option<String>,
    /// The scale of `x`, for lines.
    pub x_scale: Option<ScaleKind>,
    /// The initial scale of the quantity. A button offers the other one. If anything drawn reaches
    /// zero, only the linear one is available.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// The rungs of a ladder, in order.
    #[serde(default)]
    pub rungs: Vec<Rung>,
    /// The rung with which each rung of a ladder is compared; by default the one above it.
    pub against: Option<Against>,
}

/// A rung of a ladder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// Its name in the chart.
    pub name: String,
    /// Its row, as far as the chart's context doesn't determine it: `std::thread, units=1000`.
    pub row: String,
}

/// The rung with which a rung of a ladder is compared, if not the one above it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The first rung, to which all others are alternatives.
    First,
}

/// The contender, in place of a parameter.
pub const CONTENDER: &str = "contender";

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A line per series, with the band of its intervals, over a numeric parameter.
    Lines,
    /// A bar per row, from zero; on a logarithmic scale, which has no zero, a point.
    Bars,
    /// A dot per visit, and the median with its interval.
    Distribution,
    /// A rung per row, and the factor by which each differs from the one above it, or from the
    /// first.
    Ladder,
}

impl ChartKind {
    /// Returns whether rows of two machines can be in one picture.
    pub fn overlays(self) -> bool {
        self != ChartKind::Ladder
    }

    /// Returns whether figures are on the horizontal axis.
    pub fn is_lying(self) -> bool {
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
    /// Logarithmic, by powers of ten.
    Log,
}

impl ScaleKind {
    /// Returns its name for authors and on buttons.
    pub fn name(self) -> &'static str {
        match self {
            ScaleKind::Linear => "linear",
            ScaleKind::Log => "log",
        }
    }
}

impl ChartBlock {
    /// Returns the chapter whose rows it draws, on the page of a chapter.
    pub fn chapter<'a>(&'a self, of_page: &'a str) -> &'a str {
        self.rows.chapter.as_deref().unwrap_or(of_page)
    }

    /// Returns the drawn quantity.
    pub fn quantity(&self) -> &str {
        self.rows.quantity.as_deref().unwrap_or_default()
    }

    /// Returns the parameter of the groups, or of the horizontal axis.
    pub fn x(&self) -> &str {
        self.x.as_deref().unwrap_or(CONTENDER)
    }

    /// Returns the meaning of a colour.
    pub fn series(&self) -> &str {
        self.series.as_deref().unwrap_or(CONTENDER)
    }

    /// Returns whether each rung of a ladder is compared with the first.
    pub fn is_to_first(&self) -> bool {
        self.against.is_some()
    }

    /// Parses the common part of its rows.
    pub fn read(&mut self, names: &FigureNames) -> Result<(), BlockError> {
        let mut rows = names.selector(&self.context).at("context")?;
        if rows.quantity.is_none() {
            wrong!("context", "{:?} names no quantity, which a chart draws", self.context);
        }
        let drawn: Vec<&String> =
            [&self.x, &self.series].into_iter().flatten().chain(self.some.keys()).collect();
        rows.parameters.retain(|(name, _)| !drawn.contains(&name));
        rows.contender.take_if(|_| drawn.iter().any(|name| *name == CONTENDER));
        self.rows = rows;
        Ok(())
    }

    /// Checks that the keys fit the kind.
    pub fn check(&self) -> Result<(), BlockError> {
        use ChartKind::{Bars, Distribution, Ladder, Lines};
        let kind = self.kind;
        for (key, is_given, kinds, whose) in [
            ("x-scale", self.x_scale.is_some(), &[Lines][..], "lines have a scale of x"),
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
