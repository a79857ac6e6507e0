//! A ladder: a rung a row, and the factor by which each differs from the one above it, or from the first.

use measurement::{Evidence, Row};
use serde_json::{Value, json};

use super::rows::Shown;
use super::{Against, Canvas, Mark, ScaleKind, Spec, format};
use crate::figure::{Figure, noise_floor};
use crate::format::Form;
use crate::select::Missing;

pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    canvas.spec.rungs.len() as f64 * 3.4 + 4.5
}

pub(super) fn draw(canvas: &Canvas<'_>, shown: &Shown<'_>, scale: ScaleKind) -> Value {
    let spec = canvas.spec;
    let marks: Vec<Option<Mark>> = shown.rows.iter().map(|row| Mark::of(row)).collect();
    let drawn: Vec<(usize, &Mark)> =
        marks.iter().enumerate().filter_map(|(rung, mark)| Some((rung, mark.as_ref()?))).collect();
    let axis = canvas.axis(scale);
    let is_stepped = spec.against() == Against::Above;
    let values: Vec<f64> =
        drawn.iter().map(|(_, mark)| canvas.drawn(mark.interval.estimate)).collect();
    let places: Vec<usize> = drawn.iter().map(|(rung, _)| *rung).collect();
    let line = json!({
        "type": "scatter",
        "mode": if is_stepped { "linesmarkers" } else { "markers" },
        "name": "steps",
        "x": values,
        "y": places,
    });
    let intervals: Vec<_> = drawn.iter().map(|(_, mark)| mark.interval).collect();
    let colour = "#0072b2";
    let of_marks = |of: fn(&Mark) -> &String| -> Vec<&String> {
        drawn.iter().map(|(_, mark)| of(mark)).collect()
    };
    let mut extras = vec![json!({
        // Down first, then across.
        "line": {"color": colour, "width": 2, "shape": "vh"},
        "marker": {"color": colour, "size": 10},
        "error_x": canvas.whiskers(&intervals),
        "ids": of_marks(|mark| &mark.id),
        "meta": {"machine": shown.machine.name(), "value": "x"},
        "customdata": of_marks(|mark| &mark.words),
        "hovertemplate": "%{customdata}<extra></extra>",
    })];
    let mut traces = vec![line];
    if let Some(first) = marks[0].as_ref().filter(|_| !is_stepped) {
        // From the first rung down, and at each other one across and back.
        let first = canvas.drawn(first.interval.estimate);
        let across = |(rung, mark): &(usize, &Mark)| {
            let value = canvas.drawn(mark.interval.estimate);
            [(first, *rung), (value, *rung), (first, *rung)]
        };
        let (x, y): (Vec<f64>, Vec<usize>) = drawn.iter().flat_map(across).unzip();
        // Beneath the marks.
        traces.insert(0, json!({"type": "scatter", "mode": "lines", "x": x, "y": y}));
        let distances = json!({
            "meta": {"machine": shown.machine.name(), "role": "distances"},
            "line": {"color": colour, "width": 2},
            "hoverinfo": "skip",
        });
        extras.insert(0, distances);
    }
    for (rung, mark) in &drawn {
        let Some(other) = mark.other else { continue };
        traces.push(json!({
            "type": "scatter",
            "mode": "markers",
            "x": [canvas.drawn(other.estimate)],
            "y": [rung],
        }));
        extras.push(json!({
            "meta": {"machine": shown.machine.name(), "value": "x", "role": "regime"},
            "ids": [mark.id],
            "marker": {"color": colour, "symbol": "x", "size": 9},
            "customdata": [mark.words.as_str()],
            "hovertemplate": "%{customdata}<extra></extra>",
        }));
    }
    let mut annotations = Vec::new();
    for Step { above, below, factor, .. } in &shown.steps {
        let [Some(upper), Some(lower)] = [above, below].map(|rung| &marks[*rung]) else { continue };
        let ends = [upper.interval.estimate, lower.interval.estimate];
        let (value, anchor, height) = match spec.against() {
            // Half way down, on the side where there is room.
            Against::Above => {
                let anchor = if axis.place(ends[0]) < 0.6 { "left" } else { "right" };
                (ends[0], anchor, (above + below) as f64 / 2.0)
            }
            // Over the line across and beside the one down: where there is room, and between the ends
            // if they are so far apart.
            Against::First => {
                let [left, right] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                let is_far = axis.place(right) - axis.place(left) > 0.3;
                let (value, anchor) = match axis.place(right) < 0.6 {
                    true => (right, "left"),
                    false if is_far => (right, "right"),
                    false => (left, "right"),
                };
                (value, anchor, *below as f64 - 0.38)
            }
        };
        let shift = if anchor == "left" { 6 } else { -6 };
        annotations.push(json!({
            "text": in_two_lines(factor),
            "showarrow": false,
            "x": axis.coordinate(value),
            "xanchor": anchor,
            "xshift": shift,
            "y": height,
            "yanchor": "middle",
        }));
    }
    let name = |(rung, mark): (&super::Rung, &Option<Mark>)| match mark {
        Some(mark) => {
            let value = format::estimate(mark.interval, canvas.dimension);
            let other = mark.other.map(|other| format::estimate(other, canvas.dimension));
            let other = other.map_or(String::new(), |other| format!(" or {other}"));
            format!("{}<br><b>{value}{other}</b>", rung.name)
        }
        None => format!("{}<br>not measured", rung.name),
    };
    let names: Vec<String> = spec.rungs.iter().zip(&marks).map(name).collect();
    let (x_axis, x_extra) = axis.drawn();
    json!({
        "data": traces,
        "layout": {"xaxis": x_axis, "yaxis": {"title": ""}, "show_legend": false},
        "extra": {
            "data": extras,
            "layout": {
                "xaxis": x_extra,
                "yaxis": {
                    "tickvals": (0..names.len()).collect::<Vec<_>>(),
                    "ticktext": names,
                    "range": [names.len() as f64 - 0.5, -0.5],
                    "automargin": true,
                    "zeroline": false,
                    "showgrid": false,
                },
                "annotations": annotations,
                "margin": {"l": 8, "r": 24, "t": 8, "b": 8},
            },
        },
    })
}

/// A text that is long for a phone, broken in its middle, nearly.
fn in_two_lines(text: &str) -> String {
    let spaces = text.match_indices(' ').map(|(place, _)| place);
    let middle = spaces.min_by_key(|place| place.abs_diff(text.len() / 2));
    match middle.filter(|_| text.chars().count() > 14) {
        Some(middle) => format!("{}<br>{}", &text[..middle], &text[middle + 1..]),
        None => text.to_owned(),
    }
}

/// A step from a rung that was measured to one further down.
pub(super) struct Step {
    /// The rungs, from the top.
    pub(super) above: usize,
    pub(super) below: usize,
    /// By how much they differ: the paired ratio, unless identical contenders could differ as much.
    pub(super) factor: String,
    /// The interval of the ratio.
    pub(super) range: String,
}

/// The steps of a machine's ladder.
///
/// # Errors
///
/// In words, if two rungs of the reference machine cannot be compared. On another machine, whose run
/// may be a quick one or an old one, there is no factor then.
pub(super) fn steps(
    spec: &Spec,
    evidence: &Evidence,
    rows: &[&Row],
    is_reference: bool,
) -> Result<Vec<Step>, String> {
    let rungs = rows.iter().copied().enumerate();
    let measured: Vec<_> = rungs.filter(|(_, row)| row.measured().is_some()).collect();
    let is_to_first = spec.against() == Against::First;
    if is_to_first && rows[0].measured().is_none() {
        return Ok(Vec::new());
    }
    let step = |place: usize| {
        let (above, upper) = measured[if is_to_first { 0 } else { place - 1 }];
        let (below, lower) = measured[place];
        let compared = Figure::of_ratio(lower, upper, evidence).and_then(|figure| {
            let floor = noise_floor(evidence, lower, upper, spec.floor.as_deref())?;
            Ok((figure.factor(floor, Form::Full), figure.range()))
        });
        let (factor, range) = match compared {
            Ok(found) => found,
            Err(Missing::Mistake(message) | Missing::Unmeasured(message)) if is_reference => {
                return Err(message);
            }
            Err(_) => ("no ratio".to_owned(), String::new()),
        };
        Ok(Step { above, below, factor, range })
    };
    (1..measured.len()).map(step).collect()
}
