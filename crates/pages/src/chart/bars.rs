//! Horizontal bars, points and distributions, which have room for names of any length. There is a
//! group of lanes for each value of the parameter `x`, with one lane per series and machine.

use language::block::{CONTENDER, ChartKind, ScaleKind};
use measurement::{EvidenceRow, number_format};

use super::{
    At, Axis, Canvas, Label, Legend, MachineRows, Marker, Scene, Series, Shape, axis, distinct,
    value_of,
};

/// The share of a group's height that its lanes occupy.
const FILL: f64 = 0.8;

pub(super) fn draw<'a>(
    canvas: &'a Canvas<'a>,
    selected: &[&'a MachineRows<'a>],
    scale: ScaleKind,
) -> Scene {
    let x = &canvas.spec.x;
    // The groups from top to bottom. If each series is a group of its own, `are_series` is true.
    let groups = distinct(canvas.rows(), x);
    let are_series = groups == canvas.names;
    let lanes_of = |machines: usize| machines * if are_series { 1 } else { canvas.names.len() };
    let lanes = lanes_of(selected.len());
    let width = FILL / lanes as f64;
    // Positions increase from the first group, at the top, downwards.
    let place = |row: &EvidenceRow, series: usize, machine: usize| {
        let group = value_of(row, x)?;
        let group = groups.iter().position(|known| *known == group)?;
        let lane = (series * selected.len() + machine) % lanes;
        Some(group as f64 + ((lane as f64 + 0.5) * width - FILL / 2.0))
    };
    let mut all = Series::all(canvas, selected, place);
    let is_first = |series: &Series<'_>| series.style.is_like(&canvas.styles[0]);
    for series in all.iter_mut().filter(|_| are_series) {
        let is_in_legend = is_first(series) && selected.len() > 1;
        series.name = Some((series.machine.short().to_owned(), is_in_legend));
    }
    // Multiples of the golden ratio spread the dots of repeated measurements evenly over the
    // width of a lane, and equally in every build, so that equal values don't hide each other.
    let jitter = |visit: usize| {
        let even = (visit as f64 * 0.618_034).fract() - 0.5;
        number_format::rounded(even * width * 0.8, 3)
    };
    let is_bars = canvas.spec.kind == ChartKind::Bars && scale == ScaleKind::Linear;
    let row_shape = |series: &Series<'_>| {
        let symbol = series.style.symbol;
        if is_bars {
            // The length of a bar shows its value. A bar with its name next to it needs no
            // hatching.
            let hatching = (!are_series).then_some(symbol);
            Shape::Bars { width: width * 0.9, hatching }
        } else {
            Shape::Markers(Marker { symbol, size: 10.0, outline: Some(1.0) })
        }
    };
    let visits = all.iter().flat_map(|series| series.visits(canvas.spec.kind, 5.0, jitter));
    let rows = all.iter().map(|series| series.rows(row_shape(series)));
    // Bars are drawn below the dots of single measurements, points above them.
    let layers = if is_bars { rows.chain(visits).collect() } else { visits.chain(rows).collect() };
    // A heading above the groups, unless the groups are contenders, which explain themselves.
    let heading = (x != CONTENDER).then(|| Label {
        text: format!("<i>{}</i>", axis::in_words(x)),
        at: At::Picture(0.0, 1.0),
        shift: -6.0,
        is_above: true,
    });
    let has_legend = !are_series || selected.len() > 1;
    // All views have the height that the view with the most machines needs.
    let most = canvas.selections().iter().map(|(_, shown)| shown.len()).max().unwrap_or(1);
    let lane = if canvas.spec.kind == ChartKind::Distribution { 2.2 } else { 1.4 };
    let in_group = lanes_of(most) as f64 * lane + 0.6;
    let height = (groups.len() as f64 * in_group).max(4.0) + 7.0;
    let names = groups.iter().map(|group| number_format::parameter(group));
    Scene {
        labels: heading.into_iter().collect(),
        legend: if has_legend { Legend::Always } else { Legend::Never },
        // The left margin is at least as wide as the heading. If labels are longer, the margin
        // grows.
        margin: [20.0 + 8.0 * x.chars().count() as f64, 24.0, 24.0],
        ..canvas.scene(canvas.axis(scale), Axis::of_lines(names), layers, height)
    }
}
