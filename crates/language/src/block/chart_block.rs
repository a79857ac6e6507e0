//! The TOML of a `chart` block, with which an author describes a chart.

use std::collections::BTreeMap;

use measurement::Parameter;
use serde::Deserialize;

use super::toml_block::{At as _, BlockError};
use super::words::Words;
use crate::names::FigureNames;
use crate::selector::Selector;
use crate::wrong;

/// The content of a `chart` block: which rows to draw, and how.
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
    /// The permanent id: the name of the chapter, a dot, and a few words.
    pub id: String,
    /// The finding, in a sentence. Figures in it are written as directives.
    pub title: String,
    /// The form in which the chart shows rows, such as bars.
    pub kind: ChartKind,
    /// The selector that all rows of the chart share (`experiment: parameter=value, quantity`),
    /// or a name from a `figures` block.
    pub context: String,
    /// The selector parsed from `context`. It lacks the items that `x`, `series` and `where`
    /// vary.
    #[serde(skip)]
    pub rows: Selector,
    /// The values to draw, by parameter. Other values of these parameters are left out.
    /// `contender` may be one of the parameters.
    #[serde(default, rename = "where")]
    pub some: BTreeMap<String, Vec<Parameter>>,
    /// The parameter on the horizontal axis of a line chart. Other charts group rows by it. May
    /// be `contender`.
    pub x: String,
    /// The parameter that determines the colour. The default is the contender.
    pub series: Option<String>,
    /// The scale of the horizontal axis, if the chart has lines.
    pub x_scale: Option<ScaleKind>,
    /// The initial scale of the axis for the measured quantity. A button switches to the other
    /// scale. If any value or interval reaches zero, only the linear scale is available.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// Words for the quantity, the drawn parameters and their values, without units, by the names
    /// that these have in the rows.
    #[serde(default)]
    pub words: Words,
}

/// Stands for the contender where a parameter is expected.
pub const CONTENDER: &str = "contender";

/// The form in which a chart shows rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A line per series over a numeric parameter, with a band that shows the intervals.
    Lines,
    /// A bar per row, starting at zero. On a logarithmic scale, which has no zero, a point per
    /// row instead.
    Bars,
    /// A dot per measurement, and the median with its interval.
    Distribution,
}

impl ChartKind {
    /// Returns true if figures are on the horizontal axis, false if they are on the vertical one.
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
    /// A logarithmic scale with base 10.
    Log,
}

impl ScaleKind {
    /// Returns the scale's name in the language of pages and on buttons.
    pub fn name(self) -> &'static str {
        match self {
            ScaleKind::Linear => "linear",
            ScaleKind::Log => "log",
        }
    }
}

impl ChartBlock {
    /// Returns the chapter that the chart's rows are from: the one that the selector names, or
    /// else `of_page`.
    pub fn chapter<'a>(&'a self, of_page: &'a str) -> &'a str {
        self.rows.chapter.as_deref().unwrap_or(of_page)
    }

    /// Returns the quantity that the chart plots.
    pub fn quantity(&self) -> &str {
        self.rows.quantity.as_deref().unwrap_or_default()
    }

    /// Returns the parameter that determines the colour, or `contender`.
    pub fn series(&self) -> &str {
        self.series.as_deref().unwrap_or(CONTENDER)
    }

    /// Parses `context` into `rows`. `names` lists the names that the page defines.
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

    /// Fails if a key isn't allowed for this kind of chart.
    pub fn check(&self) -> Result<(), BlockError> {
        if self.x_scale.is_some() && self.kind != ChartKind::Lines {
            wrong!("x-scale", "only lines have a scale of x");
        }
        Ok(())
    }
}
