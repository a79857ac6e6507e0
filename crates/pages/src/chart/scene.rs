//! A picture as plain data: marks, axes, labels. Charts create a scene, and [`super::plot`] draws
//! it, with plotly.js and as SVG.
//!
//! Values are in the unit of their axis; lines and groups are counted from 0. Labels are in
//! plotly.js's subset of HTML: `<br>`, `<b>`, `<i>`, `<span>`.

use language::colour::Colour;
use language::style::{LineStyle, Symbol};
use serde::Serialize;

use super::Axis;

pub(super) struct Scene {
    pub x: Axis,
    pub y: Axis,
    /// The layers, the lowest first.
    pub layers: Vec<Layer>,
    pub labels: Vec<Label>,
    pub legend: Legend,
    /// The name of the parameter, if the legend has its values and they are numbers.
    pub legend_title: String,
    /// The height in lines of text.
    pub height: f64,
    /// The margins on the left, on the right and above, in pixels, in addition to the axes'
    /// labels; see
    /// [`BOTTOM`].
    pub margin: [f64; 3],
    /// The chapter whose rows are drawn.
    pub chapter: String,
    /// The number by which the rows' figures are divided.
    pub divisor: f64,
}

impl Scene {
    /// Creates a picture without labels and legend. Its rows each name their own chapter.
    pub(super) fn of(x: Axis, y: Axis, layers: Vec<Layer>, height: f64) -> Scene {
        Scene {
            x,
            y,
            layers,
            labels: Vec::new(),
            legend: Legend::Never,
            legend_title: String::new(),
            height,
            margin: [8.0; 3],
            chapter: String::new(),
            divisor: 1.0,
        }
    }
}

/// The margin below the picture, in pixels.
pub(super) const BOTTOM: f64 = 8.0;

/// Marks of one style.
pub(super) struct Layer {
    /// The series that a click in the legend toggles, and whether this layer represents it in the
    /// legend.
    pub series: Option<(String, bool)>,
    /// The machine whose figures the layer shows.
    pub machine: String,
    /// The content of the layer, unless that is the rows' estimates.
    pub role: Option<Role>,
    /// True if the figures are on the axis `x`.
    pub is_lying: bool,
    /// True for the reader's own figures: hollow marks, and lines with different dashes.
    pub is_own: bool,
    pub colour: Colour,
    pub points: Vec<Point>,
    pub shape: Shape,
}

#[derive(Serialize)]
#[serde(tag = "role", content = "row", rename_all = "lowercase")]
pub(super) enum Role {
    /// The visits of the row with this name.
    Visits(String),
    /// Intervals.
    Band,
    /// The distances between two rows.
    Distances,
}

pub(super) struct Point {
    pub at: (f64, f64),
    /// How far the interval extends below and above the point, on the axis of the figures.
    pub whisker: Option<(f64, f64)>,
    /// The tooltip of the row, if the point has one.
    pub row: Option<RowTooltip>,
}

/// The tooltip of a row.
#[derive(Clone)]
pub(super) struct RowTooltip {
    /// Its name.
    pub id: String,
    /// The row's figure with its interval.
    pub figure: String,
}

pub(super) enum Shape {
    /// The faint area that the points enclose.
    Area,
    /// A line from point to point, with marks or without.
    Line {
        style: LineStyle,
        marker: Option<Marker>,
    },
    Markers(Marker),
    /// Horizontal bars from zero.
    Bars {
        /// The width of a bar, as a share of a group's height.
        width: f64,
        /// The symbol of the bars' hatching, if they are hatched.
        hatching: Option<Symbol>,
    },
}

#[derive(Clone, Copy)]
pub(super) struct Marker {
    pub symbol: Symbol,
    /// In pixels.
    pub size: f64,
    /// The width of the line around the mark, in pixels.
    pub outline: Option<f64>,
}

/// A label in the picture.
pub(super) struct Label {
    pub text: String,
    pub at: At,
    /// The distance in pixels from the position to the beginning of a label on its right; if
    /// negative, to the end of a label on its left.
    pub shift: f64,
    /// True if the label is above its position, not level with it.
    pub is_above: bool,
}

/// Escapes `text`, so that it is shown literally.
pub(super) fn literal(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) enum At {
    /// A position as shares of the picture, from the left and from the bottom.
    Picture(f64, f64),
    /// A position as values on the axes.
    Axes(f64, f64),
}

/// The condition for showing a legend.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Legend {
    Never,
    Always,
    /// On a phone, where a legend replaces the labels.
    WhereNarrow,
}
