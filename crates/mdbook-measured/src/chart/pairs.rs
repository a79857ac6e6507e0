//! Pairs: the same programs in two settings, on one logarithmic axis, with what the second setting makes of each. They may
//! be of several experiments.

use std::iter;

use measurement::Interval;

use super::axis::{Axis, above_zero, ends};
use super::plot::{self, View};
use super::scene::{At, Label, Layer, Legend, Marker, Point, Role, RowTooltip, Scene, Shape};
use super::series_styles;
use super::style::LineStyle;
use crate::assets::Script;
use crate::data::MachineData;
use crate::figure::number_format::{Dimension, UnitScale, rounded};
use crate::html::Html;

/// A program in both settings on a machine.
pub(crate) struct Pair {
    pub(crate) of: [Told; 2],
    /// What the second setting makes of it: `× 4.3`, or [`ALIKE`].
    pub(crate) factor: String,
}

/// What is told of a program in a setting.
pub(crate) struct Told {
    pub(crate) interval: Interval,
    pub(crate) contender: String,
    /// The chapter and the name of its row, and how many of it: `1000 x tea/boil: pot`.
    pub(crate) row: String,
    /// The figure with its interval, in words.
    pub(crate) figure: String,
}

/// All pairs, as they are drawn.
pub(crate) struct Pairs<'a> {
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    pub(crate) settings: &'a [String; 2],
    pub(crate) programs: Vec<&'a str>,
    /// The pairs of each machine, those of the reference first; a machine may lack some.
    pub(crate) machines: Vec<(&'a MachineData, Vec<Option<Pair>>)>,
}

/// What stands for a ratio that may be on either side of 1.
pub(crate) const ALIKE: &str = "≈";

/// How far below its name a pair stands, and how far below that the next name, in lines of text.
const LINES: (f64, f64) = (1.3, 1.9);

/// The picture, a view a machine.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses it.
pub(crate) fn picture(pairs: &Pairs<'_>) -> Result<(Html, Script), String> {
    let all = pairs.machines.iter().flat_map(|(_, of)| of).flatten().flat_map(|pair| &pair.of);
    let values = above_zero(all.map(|told| told.interval));
    let view = |(machine, of): &(&MachineData, Vec<Option<Pair>>)| View {
        machine: machine.short().to_owned(),
        scale: "log",
        scene: scene(pairs, machine, of, &values),
    };
    let views: Vec<View> = pairs.machines.iter().map(view).collect();
    plot::element(pairs.id, &alternative(pairs), &views)
}

fn scene(pairs: &Pairs<'_>, machine: &MachineData, of: &[Option<Pair>], values: &[f64]) -> Scene {
    let (below, next) = LINES;
    let line = |place: usize| place as f64 * (below + next);
    let one = UnitScale { divisor: 1.0, name: "" };
    let x = Axis::of_quantity("", super::ScaleKind::Log, values, Dimension::TIME, one);
    let last = line(of.len());
    let y = Axis { ends: (last - next / 2.0, -0.9), ..Axis::of_lines(iter::empty()) };
    let (mut labels, mut between) = (Vec::new(), Vec::new());
    let mut points = [Vec::new(), Vec::new()];
    for (place, (program, pair)) in pairs.programs.iter().zip(of).enumerate() {
        let (head, height) = (line(place), line(place) + below);
        let lacks = if pair.is_none() { ": <i>not measured here</i>" } else { "" };
        let at = At::Picture(0.0, rounded(y.place(head), 4));
        labels.push(Label { text: format!("{program}{lacks}"), at, shift: 2.0, is_above: false });
        let Some(Pair { of: both, factor }) = pair else { continue };
        let estimate = |told: &Told| {
            let at = (rounded(told.interval.estimate, 7), height);
            Point { at, whisker: None, row: None }
        };
        let estimates = both.iter().map(estimate).collect();
        let line = Shape::Line { style: LineStyle::Solid, is_stepped: false, marker: None };
        let grey = super::lines::GREY;
        let series = Some((pairs.settings[1].clone(), false));
        let role = Some(Role::Distances);
        between.push(Layer { series, ..Layer::of(machine, role, grey, estimates, line) });
        for (points, Told { interval, row, figure, .. }) in points.iter_mut().zip(both) {
            let row = RowTooltip { id: row.clone(), figure: figure.clone() };
            points.push(Point::of(*interval, height, row));
        }
        let (low, high) =
            ends(&both.each_ref().map(|told| [told.interval.low, told.interval.high]).concat());
        let has_room = x.place(high) < 0.75;
        let (value, shift) = if has_room { (high, 8.0) } else { (low.max(x.ends.0), -8.0) };
        let text = format!("<b>{factor}</b>");
        labels.push(Label { text, at: At::Axes(value, height), shift, is_above: false });
    }
    let settings = pairs.settings.iter().zip(points).enumerate().map(|(place, (name, points))| {
        let style = series_styles::of_group(place);
        let marker = Marker { symbol: Some(style.symbol), size: 10.0, outline: Some(1.0) };
        let shape = Shape::Markers(marker);
        let series = Some((name.clone(), true));
        Layer { series, ..Layer::of(machine, None, style.colour, points, shape) }
    });
    let layers = between.into_iter().chain(settings).collect();
    let margin = [8.0, 16.0, 8.0];
    Scene { labels, legend: Legend::Always, margin, ..Scene::of(x, y, layers, 1.05 * last + 4.0) }
}

/// The picture in words.
fn alternative(pairs: &Pairs<'_>) -> String {
    let Some((machine, of)) = pairs.machines.first() else { return pairs.title.to_owned() };
    let [one, other] = pairs.settings;
    let mut text = format!(
        " Pairs of points on a logarithmic axis, {one} and {other}, on {}.",
        machine.short()
    );
    for (program, pair) in pairs.programs.iter().zip(of) {
        text += &match pair {
            Some(Pair { of: [one, other], factor }) => {
                format!(" {program}: {} and {}, {factor}.", one.figure, other.figure)
            }
            None => format!(" {program}: not measured."),
        };
    }
    format!("{}.{text}", pairs.title)
}
