//! Charts: rows drawn with their intervals, and what stands behind them.
//!
//! An author writes a [`Spec`]; `rows` finds what it asks for, `canvas` holds what all its views have in
//! common, a file a kind makes scenes of it, and `render` puts these into a page with what stands behind.

mod axis;
mod bars;
mod behind;
mod canvas;
mod heat_map;
mod ladder;
mod lanes;
mod lines;
mod looks;
mod mark;
mod place;
mod render;
mod rows;
mod spec;
mod steps;
mod words;

pub(crate) use place::Place;
pub(crate) use render::{Chart, render};
pub use rows::MOST_VISITS;
pub(crate) use rows::{name_of, varied};
pub use spec::{Against, Kind, Rung, ScaleKind, Spec};
