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
    pub x: String,
    /// The meaning of a colour: a parameter, or by default the contender.
    pub series: Option<String>,
    /// The scale of `x`, for lines.
    pub x_scale: Option<ScaleKind>,
    /// The initial scale of the quantity. A button offers the other one. If anything drawn reaches
    /// zero, only the linear one is available.
    #[serde(default)]
    pub y_scale: ScaleKind,
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
}

impl ChartKind {
    /// Returns whether figures are on the horizontal axis.
    pub fn is_lying(self) -> bool {
        self != ChartKind::Lines
    }
}

/// How values map to positions along an axis.
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

    /// Returns the meaning of a colour.
    pub fn series(&self) -> &str {
        self.series.as_deref().unwrap_or(CONTENDER)
    }

    /// Parses the common part of its rows.
    pub fn read(&mut self, names: &FigureNames) -> Result<(), BlockError> {
        let mut rows = names.selector(&self.context).at("context")?;
        if rows.quantity.is_none() {
            wrong!("context", "{:?} names no quantity, which a chart draws", self.context);
        }
        let drawn: Vec<&String> =
            [&self.x].into_iter().chain(&self.series).chain(self.some.keys()).collect();
        rows.parameters.retain(|(name, _)| !drawn.contains(&name));
        rows.contender.take_if(|_| drawn.iter().any(|name| *name == CONTENDER));
        self.rows = rows;
        Ok(())
    }

    /// Checks that the keys fit the kind.
    pub fn check(&self) -> Result<(), BlockError> {
        if self.x_scale.is_some() && self.kind != ChartKind::Lines {
            wrong!("x-scale", "only lines have a scale of x");
        }
        Ok(())
    }
}
