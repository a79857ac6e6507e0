//! Charts: rows drawn with their intervals, and what stands behind them.
//!
//! An author writes a [`ChartBlock`]; `rows` finds what it asks for, `canvas` holds what all its views have in
//! common, a file a kind makes scenes of it, and `render_chart` puts these into a page with what stands behind.

mod alternative_text;
mod axis;
mod bar_lanes;
mod bars;
mod canvas;
mod chart_block;
mod chart_context;
pub mod colour;
mod details;
mod formula;
mod heat_map;
mod ladder;
mod ladder_steps;
mod lines;
mod mark;
pub(crate) mod plot;
mod queue;
mod render_chart;
mod rows;
mod rug;
pub(crate) mod scene;
mod series_styles;
pub mod style;
pub(crate) mod timeline;
mod timeline_picture;

pub use chart_block::{Against, ChartBlock, ChartKind, Rug, Rung, ScaleKind};
pub(crate) use chart_context::ChartContext;
pub(crate) use render_chart::{Chart, render};
pub use rows::MOST_VISITS;
