//! A field a row, by two parameters: its colour is for the eye, and its value stands in it.

use super::axis::{self, Axis};
use super::canvas::Canvas;
use super::chart_block::ScaleKind;
use super::mark::Mark;
use super::rows::{MachineRows, distinct, value_of};
use super::scene::{Field, Fields, Scene};
use crate::figure::number_format;
use crate::html::{Html, each, html};

pub(super) fn draw(canvas: &Canvas<'_>, shown: &MachineRows<'_>) -> Scene {
    let x = canvas.spec.x();
    let columns = distinct(canvas.rows(), x);
    // What a colour stands for: on every machine the same.
    let level = |mark: &Mark<'_>| {
        let estimate = canvas.drawn(mark.interval.estimate);
        if canvas.scales()[0] == ScaleKind::Log { estimate.log10() } else { estimate }
    };
    let levels = canvas.rows().filter_map(Mark::of).map(|mark| level(&mark));
    let levels = number_format::ends(levels);
    let field = |line: &String, column: &String| {
        let of_line = shown.of_series(canvas.spec, line).into_iter();
        let row = of_line.into_iter().find(|row| value_of(row, x).as_ref() == Some(column))?;
        let mark = Mark::of(row)?;
        let text = mark.estimates(canvas.dimension, "<br>or ");
        Some(Field { level: level(&mark), text, row: mark.tooltip })
    };
    let line = |line| columns.iter().map(|column| field(line, column)).collect();
    let fields = Fields {
        machine: shown.machine.name().to_owned(),
        lines: canvas.names.iter().map(line).collect(),
        levels,
    };
    let wrapped = |value: &String| wrapped(&number_format::parameter(value));
    let x = Axis::of_groups(&axis::in_words(x), columns.iter().map(wrapped));
    let y = Axis::of_lines(canvas.names.iter().map(wrapped));
    let height = canvas.names.len() as f64 * 3.0 + 5.0;
    Scene { fields: Some(fields), ..canvas.scene(x, y, Vec::new(), height) }
}

/// The figures of machines that have a single field each, in place of a map.
pub(super) fn single_fields(canvas: &Canvas<'_>) -> Html {
    each(canvas.shown, |shown| {
        let row = shown.rows[0];
        let setting = [canvas.spec.series(), canvas.spec.x()].map(|name| {
            let value = value_of(row, name).unwrap_or_default();
            format!("{} {}", axis::in_words(name), number_format::parameter(&value))
        });
        let figure = Mark::of(row).map(|mark| mark.tooltip.figure);
        let figure = figure.as_deref().unwrap_or("not measured");
        let setting = setting.join(", ");
        html!("<p>{}, {}: <strong>{}</strong></p>\n", shown.label(), setting, figure)
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
