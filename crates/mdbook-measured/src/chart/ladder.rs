//! A ladder: a rung a row, and at each step the factor by which one differs from the one above it.

use measurement::{Row, Run};
use serde_json::{Value, json};

use super::rows::Shown;
use super::{Canvas, Mark, ScaleKind, Spec, format};
use crate::claim::{Finding, noise_floor};
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
    let values: Vec<f64> =
        drawn.iter().map(|(_, mark)| canvas.drawn(mark.interval.estimate)).collect();
    let places: Vec<usize> = drawn.iter().map(|(rung, _)| *rung).collect();
    let line = json!({
        "type": "scatter",
        "mode": "linesmarkers",
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
        let Some(mark) = &marks[*above] else { continue };
        let place = axis.place(mark.interval.estimate);
        // On the side where there is room.
        let (anchor, shift) = if place < 0.6 { ("left", 6) } else { ("right", -6) };
        annotations.push(json!({
            "text": factor,
            "showarrow": false,
            "x": axis.coordinate(mark.interval.estimate),
            "xanchor": anchor,
            "xshift": shift,
            "y": (above + below) as f64 / 2.0,
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

/// A step from a rung that was measured to the next.
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
    run: &Run,
    rows: &[&Row],
    is_reference: bool,
) -> Result<Vec<Step>, String> {
    let rungs = rows.iter().copied().enumerate();
    let measured: Vec<_> = rungs.filter(|(_, row)| row.measured().is_some()).collect();
    let step = |pair: &[(usize, &Row)]| {
        let [(above, upper), (below, lower)] = pair else { unreachable!("windows of two") };
        let compared = Finding::of_ratio(lower, upper, run).and_then(|finding| {
            let floor = noise_floor(run, spec.floor.as_deref())?;
            Ok((finding.factor(floor), finding.range()))
        });
        let (factor, range) = match compared {
            Ok(found) => found,
            Err(Missing::Mistake(message) | Missing::Unmeasured(message)) if is_reference => {
                return Err(message);
            }
            Err(_) => ("no ratio".to_owned(), String::new()),
        };
        Ok(Step { above: *above, below: *below, factor, range })
    };
    measured.windows(2).map(step).collect()
}
