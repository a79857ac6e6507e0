//! A picture as plain data: marks, axes and labels. Each kind of chart creates a scene. The module
//! [`super::plot`] draws it with plotly.js and as SVG.
//!
//! Values are in the unit of their axis. Labels are in plotly.js's subset of HTML: `<br>`, `<b>`,
//! `<i>`, `<span>`.

use language::colour::Colour;
use language::style::{LineStyle, Symbol};
use serde::Serialize;

use super::Axis;

pub(super) struct Scene {
    pub x: Axis,
    pub y: Axis,
    pub layers: Vec<Layer>,
    pub labels: Vec<Label>,
    pub legend: Legend,
    /// The title of the legend. If the legend lists numeric values of a parameter, this is the
    /// parameter's name.
    pub legend_title: String,
    /// The height in lines of text.
    pub height: f64,
    /// The margins on the left, on the right and above, in pixels, in addition to the axes'
    /// labels. The margin below is [`BOTTOM`].
    pub margin: [f64; 3],
    pub chapter: String,
    /// The number by which measured figures are divided before they are drawn.
    pub divisor: f64,
}

impl Scene {
    /// Creates a picture without labels or legend. Each row states its own chapter.
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

/// The part of a chart that is drawn in one style, such as a line with its marks.
pub(super) struct Layer {
    /// The name of the series that a click in the legend hides, and a flag that is true if the
    /// legend shows the style of this layer.
    pub series: Option<(String, bool)>,
    pub machine: String,
    /// What the layer shows. `None` for the estimates of rows.
    pub role: Option<Role>,
    /// True if measured figures are on the axis `x`, false if they are on `y`.
    pub is_lying: bool,
    /// True for the reader's own figures, which have hollow marks and different dashes.
    pub is_own: bool,
    pub colour: Colour,
    pub points: Vec<Point>,
    pub shape: Shape,
}

#[derive(Serialize)]
#[serde(tag = "role", content = "row", rename_all = "lowercase")]
pub(super) enum Role {
    Visits(String),
    Band,
    Distances,
}

pub(super) struct Point {
    pub at: (f64, f64),
    /// How far the interval extends below and above the point, on the axis of measured figures.
    pub whisker: Option<(f64, f64)>,
    pub row: Option<RowTooltip>,
}

/// The text of the tooltip that a point in a chart shows.
#[derive(Clone)]
pub(super) struct RowTooltip {
    pub id: String,
    pub figure: String,
}

pub(super) enum Shape {
    /// A faintly coloured area whose outline runs through the points.
    Area,
    Line {
        style: LineStyle,
        marker: Option<Marker>,
    },
    Markers(Marker),
    Bars {
        /// The thickness of a bar, as a share of the height of a group.
        width: f64,
        /// The symbol of the bar's hatching. `None` if the bar isn't hatched.
        hatching: Option<Symbol>,
    },
}

#[derive(Clone, Copy)]
pub(super) struct Marker {
    pub symbol: Symbol,
    /// The width of the mark, in pixels.
    pub size: f64,
    /// The width of the line around the mark, in pixels.
    pub outline: Option<f64>,
}

pub(super) struct Label {
    pub text: String,
    pub at: At,
    /// The horizontal distance of the label from its position, in pixels. If positive, the label
    /// begins there; if negative, it ends there.
    pub shift: f64,
    /// True if the label is above its position, false if it is level with it.
    pub is_above: bool,
}

/// Escapes `text`, so that plotly.js shows it literally.
pub(super) fn literal(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) enum At {
    /// A position in the picture, from the left and from the bottom, as shares of its width and
    /// height.
    Picture(f64, f64),
    Axes(f64, f64),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Legend {
    Never,
    Always,
    /// Shown only on narrow screens, such as a phone's. There, a legend replaces the labels.
    WhereNarrow,
}
