//! A picture as plain data: marks, axes, texts. Charts make it, and [`super::plot`] has it drawn, by plotly.js
//! and as SVG.
//!
//! Values are those that stand on an axis, in the unit that it names; lines and groups are counted from 0. Texts
//! are in the HTML that plotly.js reads: `<br>`, `<b>`, `<i>`, `<span>`.

use language::colour::Rgb;
use language::style::{LineStyle, Symbol};
use serde::Serialize;

use super::Axis;

pub(super) struct Scene {
    pub x: Axis,
    pub y: Axis,
    /// One over the other, the lowest first.
    pub layers: Vec<Layer>,
    pub labels: Vec<Label>,
    pub legend: Legend,
    /// In lines of text: for all views of a chart the same.
    pub height: f64,
    /// On the left, on the right and above, in pixels, beside what labels of axes take; see [`BOTTOM`].
    pub margin: [f64; 3],
    /// The chapter whose rows are drawn.
    pub chapter: String,
    /// What the rows' figures were divided by.
    pub divisor: f64,
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
    pub series: Option<(String, bool)>,
    /// The machine whose figures it shows.
    pub machine: String,
    /// What it shows of the rows, if not their estimates.
    pub role: Option<Role>,
    /// Whether its figures are on the axis `x`.
    pub is_lying: bool,
    /// The reader's own: its marks are hollow, its lines in dashes of another kind.
    pub is_own: bool,
    pub colour: Rgb,
    pub points: Vec<Point>,
    pub shape: Shape,
}

#[derive(Serialize)]
#[serde(tag = "role", content = "row", rename_all = "lowercase")]
pub(super) enum Role {
    /// The visits of the row of this name.
    Visits(String),
    /// Intervals.
    Band,
    /// What lies between two rows.
    Distances,
}

pub(super) struct Point {
    pub at: (f64, f64),
    /// How far its interval reaches below it, and above it, on the axis of the figures.
    pub whisker: Option<(f64, f64)>,
    /// The row, where it says so when it is pointed at.
    pub row: Option<RowTooltip>,
}

/// A row that is drawn.
#[derive(Clone)]
pub(super) struct RowTooltip {
    /// Its name.
    pub id: String,
    /// Its figure with its interval.
    pub figure: String,
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
    pub symbol: Symbol,
    /// In pixels.
    pub size: f64,
    /// The width of a line around it, in pixels.
    pub outline: Option<f64>,
}

/// A text in the picture.
pub(super) struct Label {
    pub text: String,
    pub at: At,
    /// How many pixels it begins to the right of that place; below zero, how many it ends to the left of it.
    pub shift: f64,
    /// Whether it stands over that height, and not at it.
    pub is_above: bool,
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
