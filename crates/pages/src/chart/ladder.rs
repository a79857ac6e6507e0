//! A ladder: a rung per row, and the factor by which each differs from the one above it, or from
//! the first.

use language::block::{ChartBlock, ScaleKind};
use language::colour::Rgb;
use language::style::{LineStyle, Style, Symbol};
use measurement::number_format;

use super::ladder_steps::{LadderStep, NO_DIFFERENCE};
use super::{
    At, Axis, Canvas, Label, Layer, MachineRows, Mark, Marker, Role, Scene, Series, Shape,
};

/// Replaces the words of [`NO_DIFFERENCE`], for which a phone has no room. The note under the chart
/// explains it.
pub(super) const NOT_TOLD_APART: &str = "≈";

pub(super) fn draw<'a>(
    canvas: &'a Canvas<'a>,
    shown: &'a MachineRows<'a>,
    scale: ScaleKind,
) -> Scene {
    let rungs = shown.at_rungs();
    let series = Series {
        machine: shown.machine,
        drawn: canvas.drawn,
        name: None,
        // Rungs are distinguished by their names.
        style: Style { colour: Rgb::of(0x0072b2), symbol: Symbol::Circle, line: LineStyle::Solid },
        marks: rungs.filter_map(|(rung, row)| Some((rung as f64, Mark::of(row)?))).collect(),
    };
    let of_rung = |rung: usize| {
        let mut marks = series.marks.iter();
        Some(&marks.find(|(place, _)| *place == rung as f64)?.1)
    };
    let axis = canvas.axis(scale);
    let label = |step: &LadderStep| {
        let end = |rung| Some(canvas.drawn.value(of_rung(rung)?.interval.estimate));
        let ends = (end(step.above)?, end(step.below)?);
        let (at, shift) = label_place(canvas.spec.is_to_first(), step, ends, &axis);
        let is_difference = step.factor != NO_DIFFERENCE;
        let text = if is_difference { &in_two_lines(&step.factor) } else { NOT_TOLD_APART };
        Some(Label { text: text.to_owned(), at, shift, is_above: false })
    };
    // Its name, and its figure on a separate line.
    let names = canvas.spec.rungs.iter().enumerate().map(|(place, rung)| match of_rung(place) {
        Some(mark) => {
            format!(
                "{}<br><b>{}</b>",
                rung.name,
                number_format::estimate(mark.interval, canvas.dimension)
            )
        }
        None => format!("{}<br>not measured", rung.name),
    });
    let labels = shown.steps.iter().filter_map(label).collect();
    let y = Axis::of_lines(names);
    let height = canvas.spec.rungs.len() as f64 * 3.4 + 4.5;
    Scene {
        labels,
        margin: [8.0, 24.0, 8.0],
        ..canvas.scene(axis, y, layers(&series, canvas.spec), height)
    }
}

/// Returns the rungs, and the lines that connect them.
fn layers(series: &Series<'_>, spec: &ChartBlock) -> Vec<Layer> {
    let mut layers = Vec::new();
    let style = LineStyle::Solid;
    let marker = Marker { symbol: Symbol::Circle, size: 10.0, outline: None };
    if !spec.is_to_first() {
        layers.push(series.rows(Shape::Line { style, is_stepped: true, marker: Some(marker) }));
    } else {
        if let Some((_, first)) = series.marks.first().filter(|(rung, _)| *rung == 0.0) {
            // Below the marks: from the first rung down, and at each other one across and back.
            let across = |(rung, mark): &(f64, Mark<'_>)| {
                let [first, mark] = [first, mark].map(|mark| mark.interval.estimate);
                [first, mark, first].map(|value| series.drawn.point(*rung, value))
            };
            let points = series.marks.iter().flat_map(across).collect();
            let shape = Shape::Line { style, is_stepped: false, marker: None };
            layers.push(series.layer(Some(Role::Distances), points, shape));
        }
        layers.push(series.rows(Shape::Markers(marker)));
    }
    layers
}

/// Returns the position of a step's factor, and its offset: where there is room for it.
fn label_place(
    is_to_first: bool,
    step: &LadderStep,
    (above, below): (f64, f64),
    axis: &Axis,
) -> (At, f64) {
    let side = |is_right| if is_right { 6.0 } else { -6.0 };
    if !is_to_first {
        // Half way down, on the side with room.
        let height = (step.above + step.below) as f64 / 2.0;
        return (At::Axes(above, height), side(axis.place(above) < 0.6));
    }
    // Above the horizontal line and next to the vertical one: where there is room, or between the
    // ends if they are far enough apart.
    let (left, right) = (above.min(below), above.max(below));
    let has_room = axis.place(right) < 0.6;
    let is_far = axis.place(right) - axis.place(left) > 0.3;
    let value = if has_room || is_far { right } else { left };
    (At::Axes(value, step.below as f64 - 0.38), side(has_room))
}

/// Returns a text that is long for a phone, broken near its middle.
fn in_two_lines(text: &str) -> String {
    let spaces = text.match_indices(' ').map(|(place, _)| place);
    let middle = spaces.min_by_key(|place| place.abs_diff(text.len() / 2));
    match middle.filter(|_| text.chars().count() > 14) {
        Some(middle) => format!("{}<br>{}", &text[..middle], &text[middle + 1..]),
        None => text.to_owned(),
    }
}
