//! Lines over a parameter that is a number, each in the band of its intervals, with its name at its
//! end.

use super::axis::Axis;
use super::canvas::Canvas;
use super::chart_block::ScaleKind;
use super::colour::Rgb;
use super::formula;
use super::rows::{MachineRows, number_of};
use super::scene::{At, Label, Layer, Legend, Marker, Role, Scene, Shape};
use super::series::Series;
use super::style::{LineStyle, Style, Symbol};
use crate::figure::number_format;

/// How high the chart is, in lines of text.
const HEIGHT: f64 = 25.0;

/// How high that is between the axes, in pixels, nearly: what two labels must be apart is found by it.
const PLOT_PIXELS: f64 = 330.0;

/// How far apart two labels stand, as a share of the height.
const LABEL: f64 = 19.0 / PLOT_PIXELS;

/// What is nobody's, such as a formula.
pub(super) const GREY: Rgb = Rgb::of(0x7f7f7f);

pub(super) fn draw<'a>(
    canvas: &'a Canvas<'a>,
    selected: &[&'a MachineRows<'a>],
    scale: ScaleKind,
) -> Scene {
    let spec = canvas.spec;
    let mut series = Series::all(canvas, selected, |row, _, _| number_of(row, spec.x()));
    for series in &mut series {
        series.marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let y = canvas.axis(scale);
    let bands = series.iter().filter_map(band);
    let visits = series.iter().flat_map(|series| series.visits(4.0, |_| 0.0));
    let formulas = selected.iter().filter(|shown| !shown.formula.is_empty());
    let formulas = formulas.map(|shown| formula_line(canvas, shown));
    let lines = series.iter().map(line);
    let crosses = series.iter().filter_map(|series| series.crosses(9.0, None));
    let layers = bands.chain(visits).chain(formulas).chain(lines).chain(crosses);
    let layers: Vec<Layer> = layers.collect();
    let (labels, longest) = labels(&layers, &y);
    let x_values = canvas.rows().filter_map(|row| number_of(row, spec.x())).collect();
    let x = Axis::of_parameter(spec.x(), spec.x_scale.unwrap_or_default(), x_values);
    let margin = [8.0, 30.0 + 7.4 * longest as f64, 8.0];
    Scene { labels, legend: Legend::WhereNarrow, margin, ..canvas.scene(x, y, layers, HEIGHT) }
}

/// A series' line with its points.
pub(super) fn line(series: &Series<'_>) -> Layer {
    let Style { symbol, line: style, .. } = series.style;
    let marker = Some(Marker { symbol: Some(symbol), size: 8.0, outline: None });
    let mut layer = series.rows(Shape::Line { style, is_stepped: false, marker });
    if !series.canvas.spec.has_intervals() {
        layer.points.iter_mut().for_each(|point| point.whisker = None);
    }
    layer
}

/// The intervals of a series as an area: there and back again.
pub(super) fn band(series: &Series<'_>) -> Option<Layer> {
    if !series.canvas.spec.has_intervals() {
        return None;
    }
    let there = series.marks.iter().map(|(x, mark)| (*x, mark.interval.high));
    let back = series.marks.iter().rev().map(|(x, mark)| (*x, mark.interval.low));
    let around = there.chain(back).map(|(x, y)| series.canvas.point(x, y)).collect();
    (series.marks.len() > 1).then(|| series.layer(Some(Role::Band), around, Shape::Area))
}

/// The curve of the formula on a machine, which is no contender's.
fn formula_line<'a>(canvas: &'a Canvas<'a>, shown: &'a MachineRows<'a>) -> Layer {
    let points = shown.formula.iter().map(|(x, y)| canvas.point(*x, *y)).collect();
    let shape = Shape::Line { style: LineStyle::Dashed, is_stepped: false, marker: None };
    let name = Some((format!("{}{}", formula::NAME, shown.suffix()), true));
    let style = Style { colour: GREY, symbol: Symbol::Circle, line: LineStyle::Dashed };
    let series = Series { canvas, shown, name, style, marks: Vec::new() };
    series.layer(Some(Role::Formula), points, shape)
}

/// The names of what a legend has at the right end of a chart, each beside the end of its line, or as near to it
/// as the others leave room; and how long the longest is.
fn labels<'a>(layers: &'a [Layer], axis: &Axis) -> (Vec<Label>, usize) {
    let end = |layer: &'a Layer| {
        let (name, _) = layer.series.as_ref().filter(|(_, is_in_legend)| *is_in_legend)?;
        Some((axis.place(layer.points.last()?.at.1), name, layer))
    };
    let mut ends: Vec<(f64, &String, &Layer)> = layers.iter().filter_map(end).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let longest = ends.iter().map(|(_, name, _)| name.chars().count()).max().unwrap_or(0);
    let places = apart(ends.iter().map(|(place, ..)| *place).collect(), LABEL);
    let label = |(place, (_, name, layer)): (f64, (f64, &String, &Layer))| {
        let letter = match &layer.shape {
            Shape::Line { marker: Some(marker), .. } => {
                let [full, hollow, ..] = marker.symbol.unwrap_or_default().look();
                if layer.is_own { hollow } else { full }
            }
            _ => "╌",
        };
        Label {
            text: format!("<span style='color:{}'>{letter}</span> {name}", layer.colour),
            at: At::Picture(1.0, number_format::rounded(place, 3)),
            shift: 4.0,
            is_above: false,
        }
    };
    (places.into_iter().zip(ends).map(label).collect(), longest)
}

/// Places of 0 to 1 in ascending order, moved no further than it takes for any two to be `gap` apart.
fn apart(mut places: Vec<f64>, gap: f64) -> Vec<f64> {
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + gap);
    }
    let mut ceiling = 1.0;
    for place in places.iter_mut().rev() {
        *place = place.min(ceiling);
        ceiling = *place - gap;
    }
    places
}
