//! Draws a line per series over a numeric parameter, with a band for its intervals, and with its
//! name at its right end.

use language::block::ScaleKind;
use language::style::Style;
use measurement::number_format;

use super::{
    At, Axis, Canvas, Label, Layer, Legend, Marker, Role, Scene, Series, Shape, number_of,
};

/// The height of a line chart, in lines of text.
const HEIGHT: f64 = 25.0;

/// The approximate height of the plot area, in pixels. It determines the minimum distance between
/// two labels.
const PLOT_PIXELS: f64 = 330.0;

/// The smallest distance between two labels, as a share of the height.
const LABEL: f64 = 19.0 / PLOT_PIXELS;

pub(super) fn draw<'a>(canvas: &'a Canvas<'a>, scale: ScaleKind) -> Scene {
    let spec = canvas.spec;
    let mut series = Series::all(canvas, |row| number_of(row, &spec.x));
    for series in &mut series {
        series.marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let y = canvas.axis(scale);
    let bands = series.iter().filter_map(band);
    let visits = series.iter().flat_map(|series| series.visits(spec.kind, 4.0, |_| 0.0));
    let lines = series.iter().map(line);
    let layers = bands.chain(visits).chain(lines).collect();
    let (labels, longest) = labels(&series, &y);
    let x_values = canvas.rows().filter_map(|row| number_of(row, &spec.x)).collect();
    let x = Axis::of_parameter(&spec.x, &spec.words, spec.x_scale.unwrap_or_default(), x_values);
    let margin = [8.0, 30.0 + 7.4 * longest as f64, 8.0];
    Scene { labels, legend: Legend::WhereNarrow, margin, ..canvas.scene(x, y, layers, HEIGHT) }
}

fn line(series: &Series<'_>) -> Layer {
    let Style { symbol, line: style, .. } = series.style;
    let marker = Some(Marker { symbol, size: 8.0, outline: None });
    series.rows(Shape::Line { style, marker })
}

/// Returns an area that covers the intervals of a series. The outline follows the high ends, and
/// returns along the low ends.
fn band(series: &Series<'_>) -> Option<Layer> {
    let there = series.marks.iter().map(|(x, mark)| (*x, mark.interval.high));
    let back = series.marks.iter().rev().map(|(x, mark)| (*x, mark.interval.low));
    let around = there.chain(back).map(|(x, y)| series.drawn.point(x, y)).collect();
    (series.marks.len() > 1).then(|| series.layer(Some(Role::Band), around, Shape::Area))
}

/// Places the names of the series at the right edge of a chart, each as close to the end of its
/// line as the other names permit. Also returns the length of the longest name in characters.
fn labels<'a>(all: &'a [Series<'a>], axis: &Axis) -> (Vec<Label>, usize) {
    let end = |series: &'a Series<'a>| {
        let (_, mark) = series.marks.last()?;
        let (name, _) = series.name.as_ref()?;
        Some((axis.place(series.drawn.value(mark.interval.estimate)), name, series))
    };
    let mut ends: Vec<(f64, &String, &Series<'_>)> = all.iter().filter_map(end).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let longest = ends.iter().map(|(_, name, _)| name.chars().count()).max().unwrap_or(0);
    let places = apart(ends.iter().map(|(place, ..)| *place).collect(), LABEL);
    let label = |(place, (_, name, series)): (f64, (f64, &String, &Series<'_>))| {
        let [full, hollow, ..] = series.style.symbol.look();
        let letter = if series.machine.is_local() { hollow } else { full };
        Label {
            text: format!("<span style='color:{}'>{letter}</span> {name}", series.style.colour),
            at: At::Picture(1.0, number_format::rounded(place, 3)),
            shift: 4.0,
            is_above: false,
        }
    };
    (places.into_iter().zip(ends).map(label).collect(), longest)
}

/// Moves ascending positions between 0 and 1 as little as possible, so that any two are at least
/// `gap` apart.
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
