//! A picture as plain data: marks, axes, texts. Charts make it, and [`super::plot`] has it drawn, by plotly.js
//! and as SVG.
//!
//! Values are those that stand on an axis, in the unit that it names; lines and groups are counted from 0. Texts
//! are in the HTML that plotly.js reads: `<br>`, `<b>`, `<i>`, `<span>`.

use measurement::Interval;
use serde::Serialize;

use super::axis::Axis;
use super::colour::Rgb;
use super::style::{LineStyle, Symbol};
use crate::data::MachineData;
use crate::figure::number_format::rounded;

pub(super) struct Scene {
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// One over the other, the lowest first.
    pub(super) layers: Vec<Layer>,
    pub(super) labels: Vec<Label>,
    pub(super) legend: Legend,
    /// In lines of text: for all views of a chart the same.
    pub(super) height: f64,
    /// On the left, on the right and above, in pixels, beside what labels of axes take; see [`BOTTOM`].
    pub(super) margin: [f64; 3],
    /// The chapter whose rows are drawn.
    pub(super) chapter: String,
    /// What the rows' figures were divided by.
    pub(super) divisor: f64,
}

impl Scene {
    /// A picture without labels and legend, of rows that each name their own chapter.
    pub(super) fn of(x: Axis, y: Axis, layers: Vec<Layer>, height: f64) -> Scene {
        Scene {
            x,
            y,
            layers,
            labels: Vec::new(),
            legend: Legend::Never,
            height,
            margin: [8.0; 3],
            chapter: String::new(),
            divisor: 1.0,
        }
    }
}

/// The margin below.
pub(super) const BOTTOM: f64 = 8.0;

/// Marks of one look.
pub(super) struct Layer {
    /// What goes together when it is clicked at in the legend, and whether this layer stands for it there.
    pub(super) series: Option<(String, bool)>,
    /// The machine whose figures it shows.
    pub(super) machine: String,
    /// What it shows of the rows, if not their estimates.
    pub(super) role: Option<Role>,
    /// Whether its figures are on the axis `x`.
    pub(super) is_lying: bool,
    /// The reader's own: its marks are hollow, its lines in dashes of another kind.
    pub(super) is_own: bool,
    pub(super) colour: Rgb,
    pub(super) points: Vec<Point>,
    pub(super) shape: Shape,
}

impl Layer {
    /// A layer of a machine that stands for no series, with its figures on the axis `x`.
    pub(super) fn of(
        machine: &MachineData,
        role: Option<Role>,
        colour: Rgb,
        points: Vec<Point>,
        shape: Shape,
    ) -> Layer {
        Layer {
            series: None,
            machine: machine.name().to_owned(),
            role,
            is_lying: true,
            is_own: machine.is_local(),
            colour,
            points,
            shape,
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "role", content = "row", rename_all = "lowercase")]
pub(super) enum Role {
    #[serde(rename = "second mode")]
    SecondMode,
    /// The visits of the row of this name.
    Visits(String),
    /// Intervals.
    Band,
    /// What lies between two rows.
    Distances,
}

pub(super) struct Point {
    pub(super) at: (f64, f64),
    /// How far its interval reaches below it, and above it, on the axis of the figures.
    pub(super) whisker: Option<(f64, f64)>,
    /// The row, where it says so when it is pointed at.
    pub(super) row: Option<RowTooltip>,
}

impl Point {
    /// An interval of a row, on a line of a lying picture.
    pub(super) fn of(interval: Interval, line: f64, row: RowTooltip) -> Point {
        let Interval { estimate, low, high } = interval;
        let [at, below, above] =
            [estimate, estimate - low, high - estimate].map(|value| rounded(value, 7));
        Point { at: (at, line), whisker: Some((below, above)), row: Some(row) }
    }
}

/// A row that is drawn.
#[derive(Clone)]
pub(super) struct RowTooltip {
    /// Its name.
    pub(super) id: String,
    /// Its figure with its interval.
    pub(super) figure: String,
}

pub(super) enum Shape {
    /// The faint inside of what the points go around.
    Area,
    /// A line from point to point, with marks or without.
    Line {
        style: LineStyle,
        /// Goes down first, and then across.
        is_stepped: bool,
        marker: Option<Marker>,
    },
    Markers(Marker),
    /// Lying bars from zero.
    Bars {
        /// Of a group's place, which is 1.
        width: f64,
        /// What their hatching stands for, where they have one.
        hatching: Option<Symbol>,
    },
}

#[derive(Clone, Copy)]
pub(super) struct Marker {
    /// None is a cross, for a second mode.
    pub(super) symbol: Option<Symbol>,
    /// In pixels.
    pub(super) size: f64,
    /// The width of a line around it, in pixels. That of a cross, which may lie on its own bar, is white.
    pub(super) outline: Option<f64>,
}

/// A text in the picture.
pub(super) struct Label {
    pub(super) text: String,
    pub(super) at: At,
    /// How many pixels it begins to the right of that place; below zero, how many it ends to the left of it.
    pub(super) shift: f64,
    /// Whether it stands over that height, and not at it.
    pub(super) is_above: bool,
}

pub(super) enum At {
    /// In shares of the picture, from the left and from below.
    Picture(f64, f64),
    /// At these values.
    Axes(f64, f64),
}

/// Whether there is a legend.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Legend {
    Never,
    Always,
    /// In place of the labels, on a phone.
    WhereNarrow,
}
