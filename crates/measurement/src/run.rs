//! A run of an experiment: a header and its rows, stored as JSON lines.

use crate::run_header::RunHeader;
use crate::{json_lines, LineError, Row, Source};

/// A run of one experiment on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The facts that apply to every row.
    pub header: RunHeader,
    /// The rows, in the order of the file: row `i` is on line `i + 2`.
    pub rows: Vec<Row>,
}

impl Run {
    /// Returns whether a row's estimate is a percentile of all latencies in the run, with all
    /// measuring windows taken together.
    pub fn is_of_all_windows(&self, row: &Row) -> bool {
        let has_window = |other: &&Row| other.measured().is_some_and(|m| m.window.is_some());
        let is_of_cell = |other: &Row| {
            other.contender == row.contender
                && other.parameters == row.parameters
                && other.twin_of == row.twin_of
        };
        row.quantity.starts_with("latency ")
            && row.measured().is_some_and(|measured| measured.source == Source::Histogram)
            && self.rows.iter().filter(has_window).any(is_of_cell)
    }

    /// Reads a run from JSON lines: a header, then rows.
    ///
    /// # Errors
    ///
    /// The error has the line number. Fails if a line isn't JSON or a row, if a row is impossible
    /// (a negative time, an unordered interval, ...) or a duplicate, or if the file was cut off.
    pub fn parse(text: &str) -> Result<Run, LineError> {
        let mut runs = Run::parse_all(text)?;
        let is_one = runs.len() == 1;
        runs.pop()
            .filter(|_| is_one)
            .ok_or_else(|| LineError::new(1, "the file holds several runs"))
    }

    /// Reads consecutive runs, each a header and its rows.
    pub fn parse_all(text: &str) -> Result<Vec<Run>, LineError> {
        let row = |header: &RunHeader, line: &str| {
            let row = header.row(line)?;
            Ok((row.name(), row))
        };
        let runs = json_lines::parse(text, ["rows", "measure"], row)?;
        Ok(runs.into_iter().map(|(header, rows)| Run { header, rows }).collect())
    }

    /// Writes the run as JSON lines that [`Run::parse`] can read.
    pub fn to_json_lines(&self) -> String {
        json_lines::write(&self.header, &self.rows)
    }
}
