//! The table of a run for the terminal.

use std::collections::BTreeSet;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use console::Term;
use measurement::number_format::{estimate, range, Dimension};
use measurement::{
    Combined, Estimate, Evidence, EvidenceRow, Interval, Outcome, Row, Run,
    RunHeader, Scattered,
};

use crate::chapter::Chapter;
use crate::experiment::Experiment;

/// Formats the rows of a run. Each experiment has a table of its quantity,
/// with costs before ratios, and a second table of counts and readings.
/// Failures and their reasons follow.
pub(crate) fn render(chapter: &Chapter, runs: &[Run]) -> String {
    let mut text = String::new();
    for experiment in &chapter.experiments {
        let is_of_it = |run: &&Run| run.header.experiment == experiment.name;
        let Some(run) = runs.iter().find(is_of_it) else { continue };
        let evidence = Evidence::of_runs([run], None);
        let rows = evidence.rows.iter().filter(|row| row.twin_of.is_none());
        let (times, others): (Vec<_>, Vec<_>) =
            rows.partition(|row| row.quantity == experiment.quantity);
        text += &timed(experiment, &times, &evidence);
        text += &counted(experiment, &others);
    }
    let rows = || {
        let rows = runs.iter().flat_map(|run| &run.rows);
        rows.filter(|row| row.twin_of.is_none())
    };
    let mut said = failures(rows());
    said.extend(rows().filter_map(unanswered));
    if !said.is_empty() {
        text += &format!("\n{}\n", said.join("\n"));
    }
    text + &runs.first().map_or(String::new(), |run| quality(&run.header))
}

/// Formats the rows of the experiment's main quantity, with ratios unless all
/// rows belong to the baseline.
fn timed(
    experiment: &Experiment,
    rows: &[&EvidenceRow],
    evidence: &Evidence,
) -> String {
    let Experiment { name, quantity, baseline, .. } = experiment;
    let against = format!("ratio to {baseline}");
    let mut header = vec!["contender", "setting", quantity, "95 % interval"];
    if rows.iter().any(|row| row.contender != *baseline) {
        header.push(&against);
    }
    let ratio = |row: &EvidenceRow| {
        if row.contender == *baseline {
            return Some("1".to_owned());
        }
        let is_base = |other: &&&EvidenceRow| {
            other.contender == *baseline && other.same_setting(row)
        };
        let base = rows.iter().find(is_base)?;
        let ratio = evidence.ratio(row, base).ok()?;
        let ratio = figures(&ratio, Dimension::Ratio);
        Some(match ratio {
            [ratio, interval] if interval.is_empty() => ratio,
            [ratio, interval] => format!("{ratio} ({interval})"),
        })
    };
    let cells = rows.iter().map(|row| {
        let [cost, interval] = match &row.outcome {
            Outcome::Measured(m) => {
                figures(&m.estimate, Dimension::of_row(row))
            }
            Outcome::Failed(_) => ["failed".to_owned(), String::new()],
        };
        let ratio = ratio(row).unwrap_or_default();
        let [contender, setting] = cell(row);
        vec![contender, setting, cost, interval, ratio]
    });
    table(&format!("{name}: {quantity}"), &header, cells)
}

fn cell<Figures>(row: &Row<Figures>) -> [String; 2] {
    [row.contender.clone(), row.parameters.to_string()]
}

/// Formats rows of counts and readings, with a column per quantity.
fn counted(experiment: &Experiment, rows: &[&EvidenceRow]) -> String {
    let mut header = vec!["contender", "setting"];
    let mut cells: Vec<[String; 2]> = Vec::new();
    for row in rows {
        if !header[2..].contains(&&*row.quantity) {
            header.push(&row.quantity);
        }
        if !cells.contains(&cell(row)) {
            cells.push(cell(row));
        }
    }
    let lines = cells.iter().map(|of| {
        let figure = |quantity: &&str| {
            let is_it = |row: &&&EvidenceRow| {
                cell(row) == *of && row.quantity == **quantity
            };
            rows.iter().find(is_it).map_or(String::new(), |row| {
                let failed = "failed".to_owned();
                let shown = |m: &Combined| {
                    estimate(m.estimate.next, Dimension::of_row(row))
                };
                row.measured().map_or(failed, shown)
            })
        };
        of.iter().cloned().chain(header[2..].iter().map(figure)).collect()
    });
    table(&experiment.name, &header, lines)
}

/// Lists the failures. A reason that several rows of a benchmark share is
/// listed once.
fn failures<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<String> {
    let mut said = BTreeSet::new();
    let failure = |row: &'a Row| {
        let Outcome::Failed(reason) = &row.outcome else { return None };
        let is_new = said.insert((&row.experiment, cell(row), reason));
        is_new.then(|| format!("failed: {}: {reason}", row.name()))
    };
    rows.filter_map(failure).collect()
}

/// Describes the requests of a window of time that failed or were sent late.
/// The throughput doesn't show them.
fn unanswered(row: &Row) -> Option<String> {
    let window = row.measured()?.window.as_ref()?;
    let [errors, late] =
        [&window.errors, &window.late].map(|of| of.iter().sum::<u64>());
    let name = row.name();
    (errors > 0 || late > 0).then(|| {
        format!("{name}: {errors} requests failed, {late} were made late")
    })
}

/// Formats a table with a title. Returns an empty string if there are no
/// lines. Fields beyond the columns of `header` are left out.
fn table(
    title: &str,
    header: &[&str],
    lines: impl Iterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(header);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.add_rows(lines.map(|line| line.into_iter().take(header.len())));
    if table.is_empty() {
        return String::new();
    }
    fit(&mut table, terminal_width());
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    format!("\n{title}\n\n{}", lines.collect::<String>())
}

/// Returns the value of `COLUMNS` if it is exported, or else the width of the
/// terminal. `None` if there is neither.
fn terminal_width() -> Option<u16> {
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.parse().ok());
    let terminal = Term::stdout();
    asked.or_else(|| terminal.is_term().then(|| terminal.size().1))
}

/// Wraps the lines of a table to fit the terminal.
pub fn fit_to_terminal(table: &mut Table) {
    fit(table, terminal_width());
}

fn fit(table: &mut Table, width: Option<u16>) {
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width);
    }
}

/// Formats an estimate and its interval. If hardly any measurement is near
/// the estimate, formats the range that contains nine in ten measurements
/// instead.
fn figures(found: &Estimate, dimension: Dimension) -> [String; 2] {
    match found.scattered {
        None => [estimate(found.next, dimension), range(found.next, dimension)],
        Some(Scattered { low, high }) => {
            let all = Interval { low, high, ..found.next };
            [range(all, dimension), String::new()]
        }
    }
}

/// Describes how much other programs and the hypervisor disturbed a run, and
/// what its intervals mean.
fn quality(header: &RunHeader) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let steal = header.steal.map_or(String::new(), |steal| {
        format!(", and the hypervisor kept {}", percent(steal))
    });
    let mut text = format!(
        "\nAn interval is for the next run, as far as one run can tell: it knows the run's links of\n\
         the program, and not how much another half hour differs. `cargo book measure` adds that.\n\
         Meanwhile others used {} of the machine's CPU time{steal}.\n",
        percent(header.load)
    );
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_into_any_terminal() {
        let cells =
            || vec!["tokio multi-thread, kernel=spawn many".to_owned(); 5];
        for width in [40, 60, 200] {
            let mut table = Table::new();
            table.load_style(NOTHING).set_header(cells()).add_row(cells());
            fit(&mut table, Some(width));
            let widest =
                table.lines().map(|line| line.trim_end().chars().count());
            assert!(widest.max().unwrap() <= width as usize, "{table}");
        }
    }

    #[test]
    fn what_hardly_any_visit_comes_near_is_not_printed() {
        let next = Interval { estimate: 90.0, low: 20.0, high: 300.0 };
        let range = Scattered { low: 25.0, high: 280.0 };
        for (scattered, figure, interval) in
            [(None, "90", "20 to 300"), (Some(range), "30 to 280", "")]
        {
            let found = Estimate { next, mean: None, scattered };
            assert_eq!(figures(&found, Dimension::Ratio), [figure, interval]);
        }
    }
}
