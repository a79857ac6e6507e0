//! A field a row, by two parameters: its colour is for the eye, and its value stands in it.

use super::axis;
use super::canvas::Canvas;
use super::chart_block::ScaleKind;
use super::mark::Mark;
use super::rows::{Shown, distinct, value_of};
use crate::chart::colour::Rgb;
use crate::chart::scene::{Axis, Field, Fields, Legend, Margin, PlotArea, Scene, StyledText};
use crate::figure::number_format;
use crate::html::escape;

/// From few to many. All are light enough for black text, and their lightness falls evenly, so that
/// they need no colour vision.
const COLOURS: [Rgb; 3] = [Rgb::of(0xfff7bc), Rgb::of(0xfec44f), Rgb::of(0xec7014)];

pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    distinct(canvas.rows(), canvas.spec.series()).len() as f64 * 3.0 + 5.0
}

pub(super) fn draw(canvas: &Canvas<'_>, shown: &Shown<'_>) -> Scene {
    let spec = canvas.spec;
    let columns = distinct(canvas.rows(), spec.x());
    let scale = canvas.scales()[0];
    // What a colour stands for: on every machine the same.
    let level = |mark: &Mark| match scale {
        ScaleKind::Linear => canvas.estimate(mark),
        ScaleKind::Log => canvas.estimate(mark).log10(),
    };
    let levels: Vec<f64> = canvas.rows().filter_map(Mark::of).map(|mark| level(&mark)).collect();
    let least = levels.iter().copied().fold(f64::INFINITY, f64::min);
    let most = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let field = |line: &String, column: &String| {
        let is_it = |row: &&&measurement::Row| {
            value_of(row, spec.series()).as_ref() == Some(line)
                && value_of(row, spec.x()).as_ref() == Some(column)
        };
        let mark = shown.rows.iter().find(is_it).and_then(|row| Mark::of(row))?;
        let estimate = |interval| number_format::estimate(interval, canvas.dimension);
        let other = mark.other.map_or(String::new(), |other| format!("\nor {}", estimate(other)));
        let text = StyledText::plain(&(estimate(mark.interval) + &other));
        Some(Field { level: level(&mark), text, row: mark.told })
    };
    let line = |line| columns.iter().map(|column| field(line, column)).collect();
    let fields = Fields {
        machine: shown.machine.name().to_owned(),
        lines: canvas.names.iter().map(line).collect(),
        levels: (least, most),
        colours: COLOURS,
    };
    let named = |values: &[String]| -> Vec<StyledText> {
        values
            .iter()
            .map(|value| StyledText::plain(&wrapped(&number_format::parameter(value))))
            .collect()
    };
    Scene {
        x: Axis::of_groups(&axis::in_words(spec.x()), named(&columns)),
        y: Axis::of_groups("", named(&canvas.names)).reversed(),
        content: PlotArea::Fields(fields),
        labels: Vec::new(),
        legend: Legend::Never,
        margin: Margin { left: 8.0, right: 8.0, top: 8.0, bottom: 8.0 },
        origin: canvas.origin(),
    }
}

/// The figures of machines that have a single field each, in place of a map.
pub(super) fn single_fields(canvas: &Canvas<'_>) -> String {
    let (line, column) = (canvas.spec.series(), canvas.spec.x());
    let figure = |shown: &Shown<'_>| {
        let row = shown.rows[0];
        let setting = [line, column].map(|name| {
            let value = value_of(row, name).unwrap_or_default();
            format!("{} {}", axis::in_words(name), number_format::parameter(&value))
        });
        let figure = row.measured().map_or("not measured".to_owned(), |measured| {
            let (interval, scattered) = (measured.interval(), measured.scattered());
            let figure = number_format::measured(interval, scattered, canvas.dimension);
            let range = number_format::measured_range(interval, scattered, canvas.dimension);
            format!("{figure} ({range})")
        });
        let (machine, setting) = (escape(&shown.label()), escape(&setting.join(", ")));
        format!("<p>{machine}, {setting}: <strong>{}</strong></p>\n", escape(&figure))
    };
    canvas.shown.iter().map(figure).collect()
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
    lines.join("\n")
}
