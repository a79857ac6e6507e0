//! Charts in words, for those who do not see them.

use measurement::Row;

use super::canvas::Canvas;
use super::chart_block::{ChartBlock, ChartKind};
use super::rows::{number_of, told, value_of};
use crate::figure::number_format;

/// How many figures of a series are told one by one. The table has all of them.
const FIGURES: usize = 6;

/// The chart in words, made from its rows, behind its title.
pub(super) fn alternative(canvas: &Canvas<'_>, title: &str) -> String {
    let spec = canvas.spec;
    let kind = match spec.kind {
        ChartKind::Lines => "Lines",
        ChartKind::Bars => "Bars",
        ChartKind::Distribution => "A dot a visit, and the median,",
        ChartKind::Ladder => "A ladder",
    };
    let over = match (spec.kind, spec.is_to_first()) {
        (ChartKind::Ladder, false) => "",
        (ChartKind::Ladder, true) => ", each rung against the first",
        _ => &format!(" over {}", spec.x()),
    };
    let mut text = format!(" {kind} of {}{over}.", spec.quantity);
    for shown in canvas.shown {
        let machine = shown.label();
        if spec.kind == ChartKind::Ladder {
            let rungs = shown.at_rungs().map(|(place, row)| {
                let step = shown.steps.iter().find(|step| step.below == place);
                let factor = step.map_or(String::new(), |step| format!(", {}", step.factor));
                format!("{} {}{factor}", spec.rungs[place].name, told(row))
            });
            text += &format!(" On {machine}: {}.", rungs.collect::<Vec<_>>().join(", then "));
            continue;
        }
        for series in &canvas.names {
            let rows = shown.of_series(spec, series);
            if !rows.is_empty() {
                text += &format!(" {series} on {machine}: {}.", figures(&rows, spec));
            }
        }
    }
    let stop = if title.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{title}{stop}{text}")
}

fn figures(rows: &[&Row], spec: &ChartBlock) -> String {
    let x = spec.x();
    let one = |row: &&Row| {
        let value = value_of(row, x).unwrap_or_default();
        match number_of(row, x) {
            Some(_) => format!("{} at {}", told(row), number_format::parameter(&value)),
            None if x == spec.series() => told(row),
            None => format!("{} for {value}", told(row)),
        }
    };
    if rows.len() <= FIGURES {
        return rows.iter().map(one).collect::<Vec<_>>().join(", ");
    }
    let measured = || rows.iter().filter_map(|row| Some((row.measured()?.estimate, row)));
    let least = measured().min_by(|a, b| a.0.total_cmp(&b.0));
    match least.zip(measured().max_by(|a, b| a.0.total_cmp(&b.0))) {
        Some(((_, least), (_, most))) => {
            format!("{} figures, from {} to {}", rows.len(), one(least), one(most))
        }
        None => "not measured".to_owned(),
    }
}
