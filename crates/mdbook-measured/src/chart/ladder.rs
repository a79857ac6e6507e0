//! A ladder: a rung a row, and the factor by which each differs from the one above it, or from the first.

use super::canvas::Canvas;
use super::chart_block::{Against, Rung, ScaleKind};
use super::ladder_steps::{LadderStep, NO_DIFFERENCE};
use super::mark::Mark;
use super::rows::Shown;
use crate::chart::colour::Rgb;
use crate::chart::scene::{
    At, Axis, Colour, FigureAxis, Label, LabelSide, Layer, Legend, Look, Margin, Marker,
    MarkerSymbol, PlotArea, Role, Scene, Shape, Stroke, StyledPiece, StyledText,
};
use crate::chart::style::{LineStyle, Symbol};
use crate::figure::number_format;

/// Rungs are told apart by their names.
const COLOUR: Colour = Colour::Meaning(Rgb::of(0x0072b2));

pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    canvas.spec.rungs.len() as f64 * 3.4 + 4.5
}

pub(super) fn draw(canvas: &Canvas<'_>, shown: &Shown<'_>, scale: ScaleKind) -> Scene {
    let spec = canvas.spec;
    let mut marks: Vec<Option<Mark>> = spec.rungs.iter().map(|_| None).collect();
    for (rung, row) in shown.at_rungs() {
        marks[rung] = Mark::of(row);
    }
    let axis = canvas.axis(scale);
    let label = |step| label(canvas, &marks, step, &axis);
    let labels = shown.steps.iter().filter_map(label).collect();
    let name = |(rung, mark): (&Rung, &Option<Mark>)| name(canvas, rung, mark.as_ref());
    let names = spec.rungs.iter().zip(&marks).map(name).collect();
    Scene {
        x: axis,
        y: Axis::of_groups("", names).reversed(),
        content: PlotArea::Layers(layers(canvas, shown, &marks)),
        labels,
        legend: Legend::Never,
        margin: Margin { left: 8.0, right: 24.0, top: 8.0, bottom: 8.0 },
        origin: canvas.origin(),
    }
}

/// The rungs, what joins them, and their second modes.
fn layers(canvas: &Canvas<'_>, shown: &Shown<'_>, marks: &[Option<Mark>]) -> Vec<Layer> {
    let layer = |role: Role, points: Vec<(f64, f64)>, shape: Shape| Layer {
        series: None,
        machine: shown.machine.name().to_owned(),
        role,
        figures: FigureAxis::X,
        points,
        rows: Vec::new(),
        whiskers: Vec::new(),
        shape,
    };
    let drawn = || {
        let rungs = marks.iter().enumerate();
        rungs.filter_map(|(rung, mark)| Some((rung as f64, mark.as_ref()?)))
    };
    let is_stepped = canvas.spec.against() == Against::Above;
    let stroke = Stroke { colour: COLOUR, line: LineStyle::Solid, is_own: false, is_stepped };
    let marker =
        |symbol, size| Marker { colour: COLOUR, symbol, size, is_faint: false, outline: None };
    let mut layers = Vec::new();
    if let Some(first) = marks[0].as_ref().filter(|_| !is_stepped) {
        // Beneath the marks: from the first rung down, and at each other one across and back.
        let first = canvas.estimate(first);
        let across = |(rung, mark): (f64, &Mark)| {
            [(first, rung), (canvas.estimate(mark), rung), (first, rung)]
        };
        let points = drawn().flat_map(across).collect();
        layers.push(layer(Role::Distances, points, Shape::Line(stroke.clone(), None)));
    }
    let points = drawn().map(|(rung, mark)| (canvas.estimate(mark), rung)).collect();
    let full = marker(MarkerSymbol::Full(Symbol::Circle), 10.0);
    let shape = if is_stepped { Shape::Line(stroke, Some(full)) } else { Shape::Markers(full) };
    layers.push(Layer {
        rows: drawn().map(|(_, mark)| mark.told.clone()).collect(),
        whiskers: drawn().map(|(_, mark)| canvas.whisker(mark.interval)).collect(),
        ..layer(Role::Rows, points, shape)
    });
    layers.extend(drawn().filter_map(|(rung, mark)| {
        let points = vec![(canvas.drawn(mark.other?.estimate), rung)];
        let shape = Shape::Markers(marker(MarkerSymbol::SecondMode, 9.0));
        Some(Layer { rows: vec![mark.told.clone()], ..layer(Role::SecondMode, points, shape) })
    }));
    layers
}

/// The factor of a step, where there is room for it.
fn label(
    canvas: &Canvas<'_>,
    marks: &[Option<Mark>],
    step: &LadderStep,
    axis: &Axis,
) -> Option<Label> {
    let end = |rung: usize| marks[rung].as_ref().map(|mark| canvas.estimate(mark));
    let (above, below) = (end(step.above)?, end(step.below)?);
    let (value, side, height) = match canvas.spec.against() {
        // Half way down, on the side where there is room.
        Against::Above => {
            let side = if axis.place(above) < 0.6 { LabelSide::Right } else { LabelSide::Left };
            (above, side, (step.above + step.below) as f64 / 2.0)
        }
        // Over the line across and beside the one down: where there is room, and between the ends
        // if they are so far apart.
        Against::First => {
            let [left, right] = [above.min(below), above.max(below)];
            let is_far = axis.place(right) - axis.place(left) > 0.3;
            let (value, side) = if axis.place(right) < 0.6 {
                (right, LabelSide::Right)
            } else if is_far {
                (right, LabelSide::Left)
            } else {
                (left, LabelSide::Left)
            };
            (value, side, step.below as f64 - 0.38)
        }
    };
    Some(Label {
        text: StyledText::plain(&step_in_short(&step.factor)),
        at: At::Axes(value, height),
        side,
        gap: 6.0,
        is_above: false,
    })
}

/// What stands beside a rung: its name, and its figure in a line of its own.
fn name(canvas: &Canvas<'_>, rung: &Rung, mark: Option<&Mark>) -> StyledText {
    let mut text = StyledText::plain(&rung.name);
    let (figure, look) = match mark {
        Some(mark) => {
            let estimate = |interval| number_format::estimate(interval, canvas.dimension);
            let other =
                mark.other.map_or(String::new(), |other| format!(" or {}", estimate(other)));
            (estimate(mark.interval) + &other, Look::Bold)
        }
        None => ("not measured".to_owned(), Look::Plain),
    };
    text.0.push(vec![StyledPiece { text: figure, look }]);
    text
}

/// What stands for the words of [`NO_DIFFERENCE`], which a phone has no room for. The note under the
/// chart says so.
pub(super) const NOT_TOLD_APART: &str = "≈";

/// The factor of a step as it fits into the picture.
fn step_in_short(factor: &str) -> String {
    if factor == NO_DIFFERENCE { NOT_TOLD_APART.to_owned() } else { in_two_lines(factor) }
}

/// A text that is long for a phone, broken in its middle, nearly.
fn in_two_lines(text: &str) -> String {
    let spaces = text.match_indices(' ').map(|(place, _)| place);
    let middle = spaces.min_by_key(|place| place.abs_diff(text.len() / 2));
    match middle.filter(|_| text.chars().count() > 14) {
        Some(middle) => format!("{}\n{}", &text[..middle], &text[middle + 1..]),
        None => text.to_owned(),
    }
}
