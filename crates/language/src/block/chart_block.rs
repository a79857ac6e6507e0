//! A `chart` block, in which an author describes a chart.

use std::collections::BTreeMap;

use measurement::Parameter;
use serde::Deserialize;

use super::toml_block::{At as _, BlockError};
use super::words::Words;
use crate::names::FigureNames;
use crate::selector::Selector;
use crate::wrong;

/// A fenced `chart` block: the rows to draw, and how to draw them.
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
    /// The id, which never changes: the chapter, a dot, and a few words.
    pub id: String,
    /// The finding, in a sentence. Directives in it take figures from the data.
    pub title: String,
    /// How rows are drawn.
    pub kind: ChartKind,
    /// The part that all rows of the chart share, as a selector: `experiment: parameter=value,
    /// quantity`, or a name of a `figures` block.
    pub context: String,
    /// The selector parsed from `context`, without the items in `x`, `series` and `where`.
    #[serde(skip)]
    pub rows: Selector,
    /// The values to draw, for parameters that have other values as well. `contender` counts as a
    /// parameter.
    #[serde(default, rename = "where")]
    pub some: BTreeMap<String, Vec<Parameter>>,
    /// The parameter that lines have on the horizontal axis, or that groups bars. May be
    /// `contender`.
    pub x: String,
    /// The parameter that determines the colour; by default, the contender.
    pub series: Option<String>,
    /// The scale of the axis `x`, for lines.
    pub x_scale: Option<ScaleKind>,
    /// The initial scale of the quantity. A button switches to the other scale. If anything drawn
    /// reaches zero, only the linear scale is available.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// What a reader calls the quantity, a parameter that is drawn, or a value of it, by their
    /// names in the rows, without units.
    #[serde(default)]
    pub words: Words,
}

/// Stands for the contender where a parameter is expected.
pub const CONTENDER: &str = "contender";

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A line per series over a numeric parameter, with a band for the intervals.
    Lines,
    /// A bar per row, starting at zero. On a logarithmic scale, which has no zero, a point per
    /// row.
    Bars,
    /// A dot per visit, and the median with its interval.
    Distribution,
}

impl ChartKind {
    /// Returns whether figures are drawn along the horizontal axis.
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
    /// Returns the name of the scale, for authors and on buttons.
    pub fn name(self) -> &'static str {
        match self {
            ScaleKind::Linear => "linear",
            ScaleKind::Log => "log",
        }
    }
}

impl ChartBlock {
    /// Returns the chapter whose rows the chart draws; `of_page` unless the selector names
    /// another one.
    pub fn chapter<'a>(&'a self, of_page: &'a str) -> &'a str {
        self.rows.chapter.as_deref().unwrap_or(of_page)
    }

    /// Returns the quantity that the chart draws.
    pub fn quantity(&self) -> &str {
        self.rows.quantity.as_deref().unwrap_or_default()
    }

    /// Returns the parameter that determines the colour, or `contender`.
    pub fn series(&self) -> &str {
        self.series.as_deref().unwrap_or(CONTENDER)
    }

    /// Parses `context` into `rows`, with the names of the page.
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

    /// Checks that the keys fit the kind of chart.
    pub fn check(&self) -> Result<(), BlockError> {
        if self.x_scale.is_some() && self.kind != ChartKind::Lines {
            wrong!("x-scale", "only lines have a scale of x");
        }
        Ok(())
    }
}
