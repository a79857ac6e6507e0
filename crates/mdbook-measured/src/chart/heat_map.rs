//! A field a row, by two parameters: its colour is for the eye, and its value stands in it.

use serde_json::{Value, json};

use super::rows::{Shown, distinct, value_of};
use super::{Canvas, Mark, ScaleKind, format};

/// From few to many. All are light enough for black text, and their lightness falls evenly, so that
/// they need no colour vision.
const COLOURS: [&str; 3] = ["rgb(255,247,188)", "rgb(254,196,79)", "rgb(236,112,20)"];

pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    distinct(canvas.rows(), canvas.spec.series()).len() as f64 * 3.0 + 5.0
}

pub(super) fn draw(canvas: &Canvas<'_>, shown: &Shown<'_>) -> Value {
    let spec = canvas.spec;
    let columns = distinct(canvas.rows(), spec.x());
    let lines = &canvas.names;
    let field = |line: &String, column: &String| {
        let is_it = |row: &&&measurement::Row| {
            value_of(row, spec.series()).as_ref() == Some(line)
                && value_of(row, spec.x()).as_ref() == Some(column)
        };
        shown.rows.iter().find(is_it).and_then(|row| Mark::of(row))
    };
    let fields: Vec<Vec<Option<Mark>>> = lines
        .iter()
        .map(|line| columns.iter().map(|column| field(line, column)).collect())
        .collect();
    // What a colour stands for: on every machine the same.
    let level = |mark: &Mark| match spec.y_scale {
        ScaleKind::Linear => canvas.drawn(mark.interval.estimate),
        ScaleKind::Log => canvas.drawn(mark.interval.estimate).log10(),
    };
    let levels: Vec<f64> = canvas.rows().filter_map(Mark::of).map(|mark| level(&mark)).collect();
    let least = levels.iter().copied().fold(f64::INFINITY, f64::min);
    let most = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let matrix = |value: &dyn Fn(&Option<Mark>) -> Value| -> Value {
        fields.iter().map(|line| line.iter().map(value).collect::<Value>()).collect()
    };
    let trace = json!({
        "type": "heatmap",
        "z": matrix(&|field| json!(field.as_ref().map_or(0.0, level))),
        "show_scale": false,
        "zmin": least,
        "zmax": most,
    });
    let value = |mark: &Mark| {
        let dimension = canvas.dimension;
        match mark.other {
            None => format::estimate(mark.interval, dimension),
            Some(other) => format!(
                "{}<br>or {}",
                format::estimate(mark.interval, dimension),
                format::estimate(other, dimension)
            ),
        }
    };
    let extra = json!({
        // A field that was not measured stays empty.
        "z": matrix(&|field| json!(field.as_ref().map(level))),
        "ids": matrix(&|field| json!(field.as_ref().map(|mark| mark.id.as_str()))),
        "meta": {"machine": shown.machine.name(), "value": "z", "scale": spec.y_scale.name()},
        // On a phone there is no room for words.
        "text": matrix(&|field| json!(field.as_ref().map_or("–".to_owned(), value))),
        "texttemplate": "%{text}",
        "textfont": {"color": "rgb(0,0,0)", "size": 13},
        "colorscale": [[0, COLOURS[0]], [0.5, COLOURS[1]], [1, COLOURS[2]]],
        "xgap": 2,
        "ygap": 2,
        "customdata": matrix(&|field| json!(field.as_ref().map(|mark| mark.words.as_str()))),
        "hovertemplate": "%{customdata}<extra></extra>",
    });
    let named = |values: &[String]| {
        let values: Vec<String> =
            values.iter().map(|value| wrapped(&format::parameter(value))).collect();
        json!({
            "tickvals": (0..values.len()).collect::<Vec<_>>(),
            "ticktext": values,
            "tickangle": 0,
            "automargin": true,
            "showgrid": false,
            "zeroline": false,
        })
    };
    let mut y_axis = named(lines);
    y_axis["autorange"] = json!("reversed");
    json!({
        "data": [trace],
        "layout": {"xaxis": {"title": spec.x()}, "yaxis": {"title": ""}},
        "extra": {
            "data": [extra],
            "layout": {
                "xaxis": named(&columns),
                "yaxis": y_axis,
                "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
            },
        },
    })
}

/// A text in lines that leave the fields room on a phone.
fn wrapped(text: &str) -> String {
    const LINE: usize = 14;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                *line += " ";
                *line += word;
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("<br>")
}
