//! A ladder: a rung a row, and at each step the factor by which one differs from the one above it.

use measurement::Row;
use serde_json::{Value, json};

use super::rows::Shown;
use super::{Canvas, Mark, ScaleKind, format};
use crate::claim::{Finding, Missing, noise_floor};

pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    canvas.spec.rungs.len() as f64 * 3.4 + 4.5
}

pub(super) fn draw(
    canvas: &Canvas<'_>,
    shown: &Shown<'_>,
    scale: ScaleKind,
) -> Result<Value, (&'static str, String)> {
    let spec = canvas.spec;
    let marks: Vec<Option<Mark>> = shown.rows.iter().map(|row| Mark::of(row)).collect();
    let drawn: Vec<(usize, &Mark)> =
        marks.iter().enumerate().filter_map(|(rung, mark)| Some((rung, mark.as_ref()?))).collect();
    let axis = canvas.axis(scale);
    let values: Vec<f64> =
        drawn.iter().map(|(_, mark)| canvas.drawn(mark.interval.estimate)).collect();
    let places: Vec<usize> = drawn.iter().map(|(rung, _)| *rung).collect();
    let steps = json!({
        "type": "scatter",
        "mode": "linesmarkers",
        "name": "steps",
        "x": values,
        "y": places,
    });
    let intervals: Vec<_> = drawn.iter().map(|(_, mark)| mark.interval).collect();
    let colour = "#0072b2";
    let of_marks = |of: fn(&Mark) -> String| -> Vec<String> {
        drawn.iter().map(|(_, mark)| of(mark)).collect()
    };
    let mut extras = vec![json!({
        // Down first, then across.
        "line": {"color": colour, "width": 2, "shape": "vh"},
        "marker": {"color": colour, "size": 10},
        "error_x": canvas.whiskers(&intervals),
        "ids": of_marks(|mark| mark.id.clone()),
        "meta": {"machine": shown.machine.name(), "value": "x"},
        "customdata": of_marks(|mark| format!("{}<br>{}", mark.id, mark.words)),
        "hovertemplate": "%{customdata}<extra></extra>",
    })];
    let mut traces = vec![steps];
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
            "customdata": [format!("{}<br>{}", mark.id, mark.words)],
            "hovertemplate": "%{customdata}<extra></extra>",
        }));
    }
    let mut annotations = Vec::new();
    for pair in drawn.windows(2) {
        let [(above, mark), (below, _)] = pair else { continue };
        let factor = factor(canvas, shown, shown.rows[*below], shown.rows[*above])
            .map_err(|message| ("rungs", message))?;
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
    Ok(json!({
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
    }))
}

/// By how much a rung differs from the one above it, in words: the paired ratio, unless identical
/// contenders could differ as much.
fn factor(
    canvas: &Canvas<'_>,
    shown: &Shown<'_>,
    below: &Row,
    above: &Row,
) -> Result<String, String> {
    let run = &shown.run.run;
    let words = |missing| match missing {
        Missing::Mistake(message) | Missing::Unmeasured(message) => message,
    };
    let finding = Finding::of_ratio(below, above, run).map_err(words)?;
    let floor = noise_floor(run, canvas.spec.floor.as_deref()).map_err(words)?;
    Ok(finding.factor(floor))
}
