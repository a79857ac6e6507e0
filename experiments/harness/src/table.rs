//! The table in the terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use measurement::statistics::paired_ratio;
use measurement::{Outcome, Row, Run};

use crate::chapter::{Chapter, Experiment};

/// The rows of a run: each experiment a table, cost before ratio, what failed with its reason.
pub(crate) fn render(chapter: &Chapter, run: &Run) -> String {
    let mut text = String::new();
    let mut failures = Vec::new();
    for experiment in &chapter.experiments {
        let rows: Vec<&Row> = run
            .rows
            .iter()
            .filter(|row| row.experiment == experiment.name)
            .collect();
        if rows.is_empty() {
            continue;
        }
        let mut table = Table::new();
        table.load_style(NOTHING);
        let against = format!("ratio to {}", experiment.baseline);
        table.set_header([
            "contender",
            "setting",
            &experiment.quantity,
            "95 % interval",
            &against,
        ]);
        for column in 2..5 {
            let column =
                table.column_mut(column).expect("there are five columns");
            column.set_cell_alignment(CellAlignment::Right);
        }
        for row in rows {
            let (cost, interval) = match &row.outcome {
                Outcome::Measured(m) => (
                    duration(m.estimate),
                    format!("{} to {}", duration(m.low), duration(m.high)),
                ),
                Outcome::Failed(reason) => {
                    failures.push(format!("failed: {}: {reason}", row.name()));
                    ("failed".to_owned(), String::new())
                }
            };
            let ratio = ratio(experiment, row, run).unwrap_or_default();
            let setting = row.parameters.to_string();
            table.add_row([
                row.contender.clone(),
                setting,
                cost,
                interval,
                ratio,
            ]);
        }
        text += &format!("\n{}: {}\n\n", experiment.name, experiment.quantity);
        for line in table.lines() {
            text += line.trim_end();
            text.push('\n');
        }
    }
    for failure in failures {
        text += &format!("\n{failure}");
    }
    let floors = run
        .header
        .floor
        .iter()
        .map(|(class, share)| format!("{class} {:.1} %", share * 100.0));
    let floors = floors.collect::<Vec<_>>().join(", ");
    text + &format!("\nIdentical contenders differed by up to: {floors}. A smaller difference is none.\n")
}

fn ratio(experiment: &Experiment, row: &Row, run: &Run) -> Option<String> {
    if row.contender == experiment.baseline {
        return Some("1".to_owned());
    }
    let base = run.rows.iter().find(|other| {
        other.contender == experiment.baseline && other.same_setting(row)
    })?;
    let (row, base) = (row.measured()?, base.measured()?);
    let ratio = paired_ratio(&row.points, &base.points, run.header.processes)?;
    let digits = |value: f64| match value {
        10.0.. => format!("{value:.0}"),
        1.0..10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    };
    Some(format!(
        "{} ({} to {})",
        digits(ratio.estimate),
        digits(ratio.low),
        digits(ratio.high)
    ))
}

/// Nanoseconds with three digits, in the unit that suits them.
fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        1e9.. => (nanoseconds / 1e9, "s"),
        1e6..1e9 => (nanoseconds / 1e6, "ms"),
        1e3..1e6 => (nanoseconds / 1e3, "us"),
        _ => (nanoseconds, "ns"),
    };
    match value {
        100.0.. => format!("{value:.0} {unit}"),
        10.0..100.0 => format!("{value:.1} {unit}"),
        _ => format!("{value:.2} {unit}"),
    }
}
