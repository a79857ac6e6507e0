//! The table in the terminal.

use std::slice::from_ref;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use measurement::{
    Estimate, Evidence, Mode, Outcome, Row, Run, RunHeader, Scattered, Unit,
};

use crate::chapter::Chapter;
use crate::experiment::Experiment;

/// The rows of a run: each experiment a table, cost before ratio, what failed with its reason; what
/// was counted or read stands in a second table.
pub(crate) fn render(chapter: &Chapter, runs: &[Run]) -> String {
    let mut text = String::new();
    for experiment in &chapter.experiments {
        let is_of_it = |run: &&Run| run.header.experiment == experiment.name;
        let Some(run) = runs.iter().find(is_of_it) else { continue };
        // As far as one run tells.
        let evidence = Evidence::of_runs(from_ref(run), None);
        let (times, others): (Vec<&Row>, Vec<&Row>) = evidence
            .rows
            .iter()
            .filter(|row| row.twin_of.is_none())
            .partition(|row| row.quantity == experiment.quantity);
        if !times.is_empty() {
            text += &timed(experiment, &times, &evidence);
        }
        if !others.is_empty() {
            text += &counted(experiment, &others);
        }
    }
    let failures = failures(runs).into_iter().chain(unanswered(runs));
    let failures: Vec<String> = failures.collect();
    if !failures.is_empty() {
        text += &format!("\n{}\n", failures.join("\n"));
    }
    if let Some(run) = runs.first() {
        text += &quality(&run.header);
    }
    text
}

/// What the experiment is about, with its ratios, unless all rows are of what they would be to.
fn timed(
    experiment: &Experiment,
    rows: &[&Row],
    evidence: &Evidence,
) -> String {
    let against = format!("ratio to {}", experiment.baseline);
    let quantity = &experiment.quantity;
    let mut header = vec!["contender", "setting", quantity, "95 % interval"];
    if rows.iter().any(|row| row.contender != experiment.baseline) {
        header.push(&against);
    }
    let mut table = table(&header);
    for row in rows {
        let (cost, interval) = match &row.outcome {
            Outcome::Measured(m) => {
                figures(&m.together(), |value| shown(value, row.unit))
            }
            Outcome::Failed(_) => ("failed".to_owned(), String::new()),
        };
        let ratio = ratio(experiment, row, rows, evidence).unwrap_or_default();
        let setting = row.parameters.to_string();
        let cells = [row.contender.clone(), setting, cost, interval, ratio];
        table.add_row(cells.into_iter().take(header.len()));
    }
    titled(&format!("{}: {quantity}", experiment.name), &table)
}

/// What was counted or read beside: a column for each quantity.
fn counted(experiment: &Experiment, rows: &[&Row]) -> String {
    let mut quantities: Vec<&str> = Vec::new();
    let mut cells: Vec<&Row> = Vec::new();
    for row in rows {
        if !quantities.contains(&row.quantity.as_str()) {
            quantities.push(&row.quantity);
        }
        if !cells.iter().any(|cell| same_cell(cell, row)) {
            cells.push(row);
        }
    }
    let header = [&["contender", "setting"], &quantities[..]].concat();
    let mut table = table(&header);
    for cell in cells {
        let figure = |quantity: &&str| {
            let row = rows
                .iter()
                .find(|row| same_cell(row, cell) && row.quantity == *quantity);
            match row.map(|row| (&row.outcome, row.unit)) {
                None => String::new(),
                Some((Outcome::Failed(_), _)) => "failed".to_owned(),
                Some((Outcome::Measured(m), unit)) => shown(m.estimate, unit),
            }
        };
        let setting = cell.parameters.to_string();
        let figures = quantities.iter().map(figure);
        table.add_row(
            [cell.contender.clone(), setting].into_iter().chain(figures),
        );
    }
    titled(&experiment.name, &table)
}

fn same_cell(one: &Row, other: &Row) -> bool {
    one.contender == other.contender && one.parameters == other.parameters
}

/// What failed, each reason once a cell.
fn failures(runs: &[Run]) -> Vec<String> {
    let mut said: Vec<(&Row, &String)> = Vec::new();
    let rows = runs.iter().flat_map(|run| &run.rows);
    for row in rows.filter(|row| row.twin_of.is_none()) {
        let Outcome::Failed(reason) = &row.outcome else { continue };
        let before = |(other, why): &(&Row, &String)| {
            other.experiment == row.experiment
                && same_cell(other, row)
                && *why == reason
        };
        if !said.iter().any(before) {
            said.push((row, reason));
        }
    }
    let line = |(row, reason): &(&Row, &String)| {
        format!("failed: {}: {reason}", row.name())
    };
    said.iter().map(line).collect()
}

/// The windows in which requests failed or were made late: their throughput does
/// not show it.
fn unanswered(runs: &[Run]) -> Vec<String> {
    let mut lines = Vec::new();
    let rows = runs.iter().flat_map(|run| &run.rows);
    for row in rows.filter(|row| row.twin_of.is_none()) {
        let window = row.measured().and_then(|m| m.window.as_ref());
        let Some(window) = window else { continue };
        let errors: u64 = window.errors.iter().sum();
        let late: u64 = window.late.iter().sum();
        if errors > 0 || late > 0 {
            lines.push(format!(
                "{}: {errors} requests failed, {late} were made late",
                row.name()
            ));
        }
    }
    lines
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(header);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn titled(title: &str, table: &Table) -> String {
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    format!("\n{title}\n\n{}", lines.collect::<String>())
}

/// The estimate and its interval; of what hardly any visit comes near, its two
/// modes with their shares, or where most visits lie.
fn figures(
    found: &Estimate,
    shown: impl Fn(f64) -> String,
) -> (String, String) {
    let range = |low, high| format!("{} to {}", shown(low), shown(high));
    let Estimate { next, .. } = found;
    match found.scattered {
        None => (shown(next.estimate), range(next.low, next.high)),
        Some(Scattered::Modes(modes)) => {
            let mode = |mode: Mode| {
                let figure = shown(mode.interval.estimate);
                format!("{figure} ({:.0} %)", mode.share * 100.0)
            };
            (modes.map(mode).join(" or "), String::new())
        }
        Some(Scattered::Range { low, high }) => {
            (range(low, high), String::new())
        }
    }
}

/// How far the figures can be trusted.
fn quality(header: &RunHeader) -> String {
    let mut text = "\nAn interval is for the next run, as far as one run can tell: it knows the run's links of\n\
                    the program, and not how much another half hour differs. `cargo book measure` adds that.\n"
        .to_owned();
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    text += &format!(
        "Meanwhile others used {} of the machine's CPU time",
        percent(header.load)
    );
    if let Some(steal) = header.steal {
        text += &format!(", and the hypervisor kept {}", percent(steal));
    }
    text += ".\n";
    if let Some(slowed) = header.slowed() {
        text += &format!(
            "In {} of the visits the core got less done than at its best.\n",
            percent(slowed)
        );
    }
    if header.repeated() > 0 {
        text += &format!(
            "{} visits of groups were done again, because others disturbed them.\n",
            header.repeated()
        );
    }
    if header.is_disturbed() {
        text += "warning: that is much: close what keeps the machine busy, and measure again.\n";
    }
    text
}

fn ratio(
    experiment: &Experiment,
    row: &Row,
    rows: &[&Row],
    evidence: &Evidence,
) -> Option<String> {
    if row.contender == experiment.baseline {
        return Some("1".to_owned());
    }
    let is_base = |other: &&&Row| {
        other.contender == experiment.baseline && other.same_setting(row)
    };
    let base = rows.iter().find(is_base)?;
    let (ratio, interval) = figures(&evidence.ratio(row, base).ok()?, digits);
    Some(match interval.as_str() {
        "" => ratio,
        interval => format!("{ratio} ({interval})"),
    })
}

/// Three significant digits.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = 2 - value.abs().log10().floor() as i32;
    format!("{value:.*}", decimals.max(0) as usize)
}

/// A value with three digits, in the unit that suits it.
fn shown(value: f64, unit: Unit) -> String {
    let (scale, suffix) = match (unit, value.abs()) {
        (Unit::Nanoseconds, 1e9..) => (1e9, " s"),
        (Unit::Nanoseconds, 1e6..) => (1e6, " ms"),
        (Unit::Nanoseconds, 1e3..) => (1e3, " µs"),
        (Unit::Nanoseconds, _) => (1.0, " ns"),
        (Unit::Bytes, _) => (1.0, " B"),
        (Unit::PerSecond, _) => (1.0, " /s"),
        (Unit::One, _) => (1.0, ""),
    };
    digits(value / scale) + suffix
}

#[cfg(test)]
mod tests {
    use measurement::{Interval, Order};

    use super::*;
    use crate::body::Body;
    use crate::cell::Cell;

    #[test]
    fn what_hardly_any_visit_comes_near_is_not_printed() {
        let interval = |estimate, low, high| Interval { estimate, low, high };
        let told = |scattered| {
            let next = interval(90.0, 20.0, 300.0);
            let order = Order::default();
            let found = Estimate {
                next,
                mean: None,
                of_ten_runs: None,
                scattered,
                order,
            };
            let (figure, interval) = figures(&found, digits);
            [figure, interval]
        };
        assert_eq!(told(None), ["90.0", "20.0 to 300"]);
        let modes = [(0.625, 30.0), (0.375, 240.0)].map(|(share, time)| Mode {
            share,
            interval: interval(time, time - 1.0, time + 1.0),
        });
        let told_of_modes = told(Some(Scattered::Modes(modes)));
        assert_eq!(told_of_modes, ["30.0 (62 %) or 240 (38 %)", ""]);
        let range = Scattered::Range { low: 25.0, high: 280.0 };
        assert_eq!(told(Some(range)), ["25.0 to 280", ""]);
    }

    #[test]
    fn ratios_stand_where_there_is_something_to_compare() {
        let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"local","chapter":"sums","experiment":"sum","profile":"quick","commit":"","method":4,"workload":"","builds":[0],"rustc":"1.95.0","crates":{},"load":0.0,"processes":3,"rounds":1}"#;
        let row = |contender: &str| {
            format!(
                r#"{{"experiment":"sum","contender":"{contender}","parameters":{{}},"quantity":"total time","unit":"ns","estimate":2.0,"low":2.0,"high":2.0,"points":[2.0,2.0,2.0,2.0,2.0,2.0],"at":[0,1,2,3,4,5],"turn":[0,1,2,3,4,5],"build":[0,0,0,0,0,0],"probe":[9.0,9.0,9.0,9.0,9.0,9.0],"source":"criterion"}}"#
            )
        };
        let experiment = Experiment::new("sum", "total time", "a")
            .cell(Cell::new("a", 1, Body::here(|| || 1)))
            .cell(Cell::new("b", 1, Body::here(|| || 1)));
        let chapter = Chapter::new("sums", "", vec![experiment]);
        let table = |contenders: &[&str]| {
            let rows: Vec<String> =
                contenders.iter().map(|contender| row(contender)).collect();
            let run = format!("{header}\n{}\n", rows.join("\n"));
            render(&chapter, &[Run::parse(&run).unwrap()])
        };
        let both = table(&["a", "b"]);
        assert!(both.contains("ratio to a") && both.contains("1.00 (1.00 to"));
        let alone = table(&["a"]);
        assert!(alone.contains("2.00 ns") && !alone.contains("ratio to"));
    }
}
