//! The alternative text of a chart, for those who do not see it.

use measurement::Row;

use super::canvas::Canvas;
use super::chart_block::{Against, ChartKind};
use super::formula;
use super::rows::{number_of, value_of};
use super::rug;
use crate::figure::number_format::{self, Dimension};
use crate::html::escape;

/// How many figures of a series are told one by one. The table has all of them.
const FIGURES: usize = 6;

/// The chart in words, made from its rows, behind its title, which is escaped already.
pub(super) fn alternative(canvas: &Canvas<'_>, title: &str) -> String {
    let spec = canvas.spec;
    let kind = match spec.kind {
        ChartKind::Lines => "Lines",
        ChartKind::Bars => "Bars",
        ChartKind::Distribution => "A dot a visit, and the median,",
        ChartKind::HeatMap => "A heat map",
        ChartKind::Ladder => "A ladder",
    };
    let over = match spec.kind {
        ChartKind::Ladder => match spec.against() {
            Against::Above => String::new(),
            Against::First => ", each rung against the first".to_owned(),
        },
        _ => format!(" over {}", spec.x()),
    };
    let mut text = format!(" {kind} of {}{over}.", spec.quantity);
    for shown in canvas.shown {
        let name = shown.label();
        if spec.kind == ChartKind::Ladder {
            let rungs = shown.at_rungs().map(|(place, row)| {
                let step = shown.steps.iter().find(|step| step.below == place);
                let factor = step.map_or(String::new(), |step| format!(", {}", step.factor));
                format!("{} {}{factor}", spec.rungs[place].name, figure(row))
            });
            text += &format!(" On {name}: {}.", rungs.collect::<Vec<_>>().join(", then "));
            continue;
        }
        for series in &canvas.names {
            let of_it = |row: &&&Row| value_of(row, spec.series()).as_ref() == Some(series);
            let rows: Vec<&Row> = shown.rows.iter().filter(of_it).copied().collect();
            if !rows.is_empty() {
                text += &format!(" {series} on {name}: {}.", told(&rows, spec.x(), spec.series()));
            }
        }
    }
    text += &formula::in_words(spec);
    text += &rug::in_words(spec, canvas.shown);
    let stop = if title.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{title}{stop}{}", escape(&text))
}

fn told(rows: &[&Row], x: &str, series: &str) -> String {
    let one = |row: &&Row| {
        let value = value_of(row, x).unwrap_or_default();
        match number_of(row, x) {
            Some(_) => format!("{} at {}", figure(row), number_format::parameter(&value)),
            None if x == series => figure(row),
            None => format!("{} for {value}", figure(row)),
        }
    };
    if rows.len() <= FIGURES {
        return rows.iter().map(one).collect::<Vec<_>>().join(", ");
    }
    let estimate = |row: &&&Row| row.measured().map(|measured| measured.estimate);
    let mut measured: Vec<&&Row> = rows.iter().filter(|row| row.measured().is_some()).collect();
    measured
        .sort_by(|a, b| estimate(a).partial_cmp(&estimate(b)).unwrap_or(std::cmp::Ordering::Equal));
    match (measured.first(), measured.last()) {
        (Some(least), Some(most)) => {
            format!("{} figures, from {} to {}", rows.len(), one(least), one(most))
        }
        _ => "not measured".to_owned(),
    }
}

fn figure(row: &Row) -> String {
    match row.measured() {
        Some(m) => number_format::mostly(m.interval(), m.scattered(), Dimension::of_row(row)),
        None => "not measured".to_owned(),
    }
}
