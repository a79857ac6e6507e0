//! Horizontal bars, points and distributions, which have room for names of any length. Each value
//! of the parameter `x` has a group of lanes, with one lane per series and machine.

use indexmap::IndexMap;
use language::block::{CONTENDER, ChartKind, ScaleKind};
use measurement::number_format::rounded;

use super::{At, Axis, Canvas, Label, Legend, Marker, Scene, Series, Shape, distinct, value_of};

/// The distance between two groups, in lines of text.
const GAP: f64 = 0.6;

pub(super) fn draw<'a>(canvas: &'a Canvas<'a>, scale: ScaleKind) -> Scene {
    let spec = canvas.spec;
    let x = &spec.x;
    // If each series is a group of its own, its name is next to it.
    let are_series = x == spec.series();
    let mut all = Series::all(canvas, |_| Some(0.0));
    let group_of = |row| value_of(row, x).unwrap_or_default();
    // The number of lanes in each group, from top to bottom. Only marks have lanes: whatever was
    // not measured takes no room.
    let groups = distinct(canvas.rows(), x).into_iter().map(|group| (group, 0));
    let mut groups: IndexMap<String, usize> = groups.collect();
    for (_, mark) in all.iter().flat_map(|series| &series.marks) {
        groups[&group_of(mark.row)] += 1;
    }
    groups.retain(|_, lanes| *lanes > 0);
    // The height of a lane. All places are in lines of text, from the top.
    let lane = if spec.kind == ChartKind::Distribution { 2.2 } else { 1.4 };
    let (mut bottom, mut ticks, mut free) = (0.0, Vec::new(), IndexMap::new());
    for (group, lanes) in groups {
        let height = lanes as f64 * lane + GAP;
        ticks.push((rounded(bottom + height / 2.0, 5), spec.words.of_value(&group)));
        free.insert(group, bottom + (GAP + lane) / 2.0);
        bottom += height;
    }
    for (place, mark) in all.iter_mut().flat_map(|series| &mut series.marks) {
        let free = &mut free[&group_of(mark.row)];
        *place = rounded(*free, 5);
        *free += lane;
    }
    let is_first = |series: &Series<'_>| series.style.is_like(&canvas.styles[0]);
    for series in all.iter_mut().filter(|_| are_series) {
        let is_in_legend = is_first(series) && canvas.shown.len() > 1;
        series.name = Some((series.machine.short().to_owned(), is_in_legend));
    }
    // Offsets at multiples of the golden ratio spread the dots of repeated measurements evenly
    // over the width of a lane, so that equal values don't hide each other. They are the same in
    // every build.
    let jitter = |visit: usize| {
        let even = (visit as f64 * 0.618_034).fract() - 0.5;
        rounded(even * lane * 0.8, 3)
    };
    let is_bars = spec.kind == ChartKind::Bars && scale == ScaleKind::Linear;
    let row_shape = |series: &Series<'_>| {
        let symbol = series.style.symbol;
        if is_bars {
            // A bar shows its length from zero. It needs no hatching if its name is next to it, or
            // if all bars are of one series.
            let is_hatched = !are_series && canvas.names.len() > 1;
            let hatching = is_hatched.then_some(symbol);
            Shape::Bars { width: lane * 0.9, hatching }
        } else {
            Shape::Markers(Marker { symbol, size: 10.0, outline: Some(1.0) })
        }
    };
    let visits = all.iter().flat_map(|series| series.visits(spec.kind, 5.0, jitter));
    let rows = all.iter().map(|series| series.rows(row_shape(series)));
    // Bars are drawn below the dots of single measurements, points above them.
    let layers = if is_bars { rows.chain(visits).collect() } else { visits.chain(rows).collect() };
    let words = spec.words.of(x);
    // A heading above the groups. If the groups are contenders, there is none, because their
    // names need no explanation.
    let heading = (x != CONTENDER).then(|| Label {
        text: format!("<i>{words}</i>"),
        at: At::Picture(0.0, 1.0),
        shift: -6.0,
        is_above: true,
    });
    let has_legend = !are_series || canvas.shown.len() > 1;
    Scene {
        labels: heading.into_iter().collect(),
        legend: if has_legend { Legend::Always } else { Legend::Never },
        // The left margin is at least as wide as the heading; long labels widen it.
        margin: [20.0 + 8.0 * words.chars().count() as f64, 24.0, 24.0],
        ..canvas.scene(
            canvas.axis(scale),
            Axis::of_lines(ticks, bottom),
            layers,
            bottom.max(4.0) + 7.0,
        )
    }
}
