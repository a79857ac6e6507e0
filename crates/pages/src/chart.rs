//! Charts of measured figures with their intervals, and the details below a chart.
//!
//! An author writes a `ChartBlock`; `rows` finds its rows, `canvas` holds the properties that all
//! views share, `series` turns rows into layers, a file per kind of chart combines these into a
//! scene, `plot` draws the scene, and `render_chart` puts the picture and its details into a
//! page.

mod axis;
mod bars;
mod canvas;
mod details;
pub(crate) mod dots;
mod lines;
mod mark;
mod plot;
pub(crate) mod price_list;
pub(crate) mod render_chart;
mod rows;
mod scene;
mod series;
mod series_styles;
pub(crate) mod timeline;
mod timeline_picture;

/// The approximate width of a letter in labels, in pixels.
const LETTER: f64 = 7.2;

/// The width that a picture has on a phone, in pixels.
const PHONE: f64 = 300.0;

// Imports shared by this file and its submodules.
pub(in crate::chart) use axis::Axis;
pub use canvas::MOST_VISITS;
pub(in crate::chart) use canvas::{Canvas, Drawn};
pub(in crate::chart) use mark::Mark;
pub(in crate::chart) use rows::{MachineRows, distinct, number_of, value_of};
pub(in crate::chart) use scene::{
    At, BOTTOM, Label, Layer, Legend, Marker, Point, Role, RowTooltip, Scene, Shape, literal,
};
pub(in crate::chart) use series::Series;
