//! The table in the terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use measurement::statistics::ratio_interval;
use measurement::{Interval, Measured, Outcome, Regime, Row, Run, RunHeader};

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
                Outcome::Measured(m) => figures(m),
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
    text + &quality(&run.header)
}

/// The estimate and its interval, or both of two regimes.
fn figures(measured: &Measured) -> (String, String) {
    let range = |interval: Interval| {
        format!("{} to {}", duration(interval.low), duration(interval.high))
    };
    match measured.regimes() {
        None => (duration(measured.estimate), range(measured.interval())),
        Some(regimes) => {
            let figure = |regime: Regime| {
                let share = (regime.share * 100.0).round();
                format!("{} ({share:.0} %)", duration(regime.interval.estimate))
            };
            (
                regimes.map(figure).join(" or "),
                regimes.map(|regime| range(regime.interval)).join(" or "),
            )
        }
    }
}

/// How far the figures can be trusted.
fn quality(header: &RunHeader) -> String {
    let floor = |(class, share): (&String, &f64)| {
        format!("{:.1} % ({class})", share * 100.0)
    };
    let floors: Vec<String> = header.floor.iter().map(floor).collect();
    let mut text = format!(
        "\nIdentical contenders differed by up to {}. A smaller difference between\n\
         contenders of such a kind is none.\n",
        floors.join(", ")
    );
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    text += &format!(
        "Meanwhile others used {} of the machine's CPU time",
        percent(header.load)
    );
    if let Some(steal) = header.steal {
        text += &format!(", and the hypervisor kept {}", percent(steal));
    }
    text += ".\n";
    if header.is_disturbed() {
        text += "warning: that is much: close what keeps the machine busy, and measure again.\n";
    }
    text
}

fn ratio(experiment: &Experiment, row: &Row, run: &Run) -> Option<String> {
    if row.contender == experiment.baseline {
        return Some("1".to_owned());
    }
    let is_base = |other: &&Row| {
        other.contender == experiment.baseline && other.same_setting(row)
    };
    let base = run.rows.iter().find(is_base)?;
    let ratios = run.paired_ratios(row, base).ok()?;
    let ratio = ratio_interval(&ratios, run.header.processes);
    let (low, high) = (digits(ratio.low), digits(ratio.high));
    Some(format!("{} ({low} to {high})", digits(ratio.estimate)))
}

/// Three significant digits.
fn digits(value: f64) -> String {
    let decimals = 2 - value.abs().log10().floor() as i32;
    format!("{value:.*}", decimals.max(0) as usize)
}

/// Nanoseconds with three digits, in the unit that suits them.
fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        1e9.. => (nanoseconds / 1e9, "s"),
        1e6..1e9 => (nanoseconds / 1e6, "ms"),
        1e3..1e6 => (nanoseconds / 1e3, "µs"),
        _ => (nanoseconds, "ns"),
    };
    format!("{} {unit}", digits(value))
}
