//! A run: a header and its rows, as JSON lines.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::name_check::check_slug;
use crate::{Fingerprint, LineError, Outcome, Row, Source};

/// How thoroughly a run measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A stated subset of the cells, in few processes: for a reader's first look.
    Quick,
    /// Every cell, in more processes: for the data that the book shows.
    Full,
}

impl std::fmt::Display for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Profile::Quick => "quick",
            Profile::Full => "full",
        })
    }
}

/// What is true of every row of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// When it began, UTC, RFC 3339.
    pub run: String,
    /// The machine's name: the directory under data/, `local` for the reader's own.
    pub machine: String,
    /// The chapter, which is also the package that measured.
    pub chapter: String,
    /// The experiment whose rows follow.
    pub experiment: String,
    /// The profile.
    pub profile: Profile,
    /// The commit of the tree, with `-dirty` behind it where the tree differed from it.
    pub commit: String,
    /// The method's number, [`crate::METHOD`] at the time.
    pub method: u32,
    /// Hash of the tokens of what the experiment runs, see [`crate::workload`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The seeds of the links of the program that ran, in the order in which rows count them. The
    /// one link that cargo made has the seed 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<u64>,
    /// The compiler's version.
    pub rustc: String,
    /// The locked versions of the crates that are measured.
    pub crates: BTreeMap<String, String>,
    /// What the run found out about its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Fingerprint>,
    /// By what it was known which CPU time was the run's own: `cgroup v2`, `cpuacct` or
    /// `process tree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_use: Option<String>,
    /// Share of the machine's CPU time that others used during the run, 0 to 1.
    pub load: f64,
    /// Share of the machine's CPU time that the hypervisor kept during the run, 0 to 1, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// Over how many processes the points of each row are spread.
    #[serde(default = "one")]
    pub processes: usize,
    /// How many rounds each process did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// How many rows follow, so that a file that was cut off is known as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// The seed of the orders in which the cells were visited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Why the run is faulty, if it is: it is kept and told, and counts for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What happened in each round, in (process, round) order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<RoundLog>,
}

/// What the machine did during one round.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundLog {
    /// Share of the machine's CPU time that others used, 0 to 1.
    pub load: f64,
    /// Share of the machine's CPU time that the hypervisor kept, 0 to 1.
    pub steal: f64,
    /// The share of the moments between its visits in which a core got less done at once than at its
    /// best, 0 to 1: somebody computed on the core's other hardware thread, or its clock was slower.
    /// `None` if it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowed: Option<f64>,
    /// How long a cache line took from the first CPU to the last and back, in nanoseconds, when the
    /// round began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_ns: Option<f64>,
    /// How often one of its groups was visited again because others disturbed it; these figures are those
    /// of the last time, which is the one that counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn one() -> usize {
    1
}

impl RunHeader {
    /// Whether two runs measured the same: by one method, of one workload, and of the same
    /// versions. What several such runs say can be put together.
    pub fn is_alike(&self, other: &RunHeader) -> bool {
        self.method == other.method
            && self.workload == other.workload
            && self.rustc == other.rustc
            && self.crates == other.crates
    }

    /// The day on which it began: `2026-11-30`.
    pub fn day(&self) -> &str {
        self.run.split('T').next().unwrap_or_default()
    }

    /// The time of that day, UTC, to the minute: `10:12`.
    pub fn time(&self) -> &str {
        self.run.split('T').nth(1).and_then(|time| time.get(..5)).unwrap_or_default()
    }

    /// Whether others used so much of the machine during the run that the figures suffer, see
    /// [`is_disturbed`].
    pub fn is_disturbed(&self) -> bool {
        is_disturbed(self.load, self.steal.unwrap_or(0.0))
    }

    /// In which share of the moments between visits a core got less done than at its best, 0 to 1, on
    /// the average of the rounds; `None` if it was not asked for.
    pub fn slowed(&self) -> Option<f64> {
        let shares: Vec<f64> = self.log.iter().filter_map(|round| round.slowed).collect();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// How many rounds were done again because others disturbed them.
    pub fn repeated(&self) -> usize {
        self.log.iter().map(|round| round.repeated).sum()
    }

    /// Reads a header from its line.
    ///
    /// # Errors
    ///
    /// In words, if it is none, or cannot be true.
    pub fn parse(line: &str) -> Result<RunHeader, String> {
        let header: RunHeader = serde_json::from_str(line)
            .map_err(|why| format!("not the header of a run: {}", explain(&why, line)))?;
        header.check()?;
        Ok(header)
    }

    fn check(&self) -> Result<(), String> {
        check_slug("machine", &self.machine).map_err(|error| error.to_string())?;
        check_slug("chapter", &self.chapter).map_err(|error| error.to_string())?;
        check_slug("experiment", &self.experiment).map_err(|error| error.to_string())?;
        humantime::parse_rfc3339(&self.run)
            .map_err(|error| format!("`run` is {:?}, which is no time: {error}", self.run))?;
        if self.processes == 0 {
            return Err("`processes` is 0".to_owned());
        }
        if self.fault.as_ref().is_some_and(|fault| fault.trim().is_empty()) {
            return Err("`fault` gives no reason".to_owned());
        }
        let shares = [("load", self.load)].into_iter().chain(self.steal.map(|s| ("steal", s)));
        let logged = self
            .log
            .iter()
            .flat_map(|round| [round.load, round.steal].into_iter().chain(round.slowed));
        let shares = shares.chain(logged.map(|share| ("log", share)));
        for (field, value) in shares {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("`{field}` is {value}, which is no share"));
            }
        }
        if let Some(crate_name) = self.crates.iter().find(|(_, version)| version.is_empty()) {
            return Err(format!("`crates` has no version of {}", crate_name.0));
        }
        Ok(())
    }
}

/// Whether others used more than 5 % of the machine's CPU time, or the hypervisor kept more than 2 %
/// of it. Both are shares, 0 to 1.
pub fn is_disturbed(load: f64, steal: f64) -> bool {
    load > 0.05 || steal > 0.02
}

/// A run of one chapter on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What is true of every row.
    pub header: RunHeader,
    /// What was measured, in the order of the file: row `i` stands on line `i + 2`.
    pub rows: Vec<Row>,
}

impl Run {
    /// Whether a row is a percentile over all windows of the run together, whose histograms are kept beside.
    pub fn is_of_all_windows(&self, row: &Row) -> bool {
        let of_cell = |other: &&Row| {
            other.contender == row.contender
                && other.parameters == row.parameters
                && other.twin_of == row.twin_of
        };
        let has_window = |other: &Row| other.measured().is_some_and(|m| m.window.is_some());
        let is_percentile = row.quantity.starts_with("latency ")
            && row.measured().is_some_and(|measured| measured.source == Source::Histogram);
        is_percentile && self.rows.iter().filter(of_cell).any(has_window)
    }

    /// What was probed in all its visits, in nanoseconds.
    pub fn probes(&self) -> Vec<f64> {
        let visits = self.rows.iter().filter_map(|row| row.measured()?.visits.as_ref());
        let probes: Vec<&[f64]> = visits.map(|visits| visits.probe.as_slice()).collect();
        probes.concat()
    }

    /// Reads a run from JSON lines: a header, then rows.
    ///
    /// # Errors
    ///
    /// Names the line if it is no JSON, not a row, a row that cannot be true (a time below zero, an
    /// interval out of order, ...), one that stands twice, or if the file was cut off.
    pub fn parse(text: &str) -> Result<Run, LineError> {
        let error = |line, message| Err(LineError { line, message });
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let Some((_, first)) = lines.next() else {
            return error(1, "the file is empty, a run begins with its header".to_owned());
        };
        let header = RunHeader::parse(first).map_err(|message| LineError { line: 1, message })?;
        let mut rows: Vec<Row> = Vec::new();
        let mut seen = HashMap::new();
        for (number, line) in lines {
            let row = Row::parse(line, &header.experiment).map_err(|why| LineError {
                line: number,
                message: format!("not a row: {}", explain(&why, line)),
            })?;
            if row.experiment != header.experiment {
                let message =
                    format!("{:?} stands in a run of {:?}", row.name(), header.experiment);
                return error(number, message);
            }
            if let Outcome::Measured(measured) = &row.outcome {
                let visits = measured.visits.as_ref();
                let most = visits.and_then(|visits| visits.build.iter().copied().max());
                if most.is_some_and(|build| build as usize >= header.builds.len()) {
                    let builds = header.builds.len();
                    return error(
                        number,
                        format!("a visit ran another build than the {builds} that the header has"),
                    );
                }
                let by_turn = visits.is_some();
                if !by_turn && !measured.points.len().is_multiple_of(header.processes) {
                    let (points, processes) = (measured.points.len(), header.processes);
                    return error(number, format!("{points} points do not spread evenly over the run's {processes} processes"));
                }
            }
            if let Some(earlier) = seen.insert(row.name(), number) {
                return error(number, format!("{:?} stands on line {earlier} already", row.name()));
            }
            rows.push(row);
        }
        let (expected, found) = (header.rows.unwrap_or(rows.len().max(1)), rows.len());
        if found != expected {
            let message = format!(
                "{expected} rows belong to this header, {found} are there: \
                 the file was cut off, measure again"
            );
            return error(1, message);
        }
        Ok(Run { header, rows })
    }

    /// Reads runs that stand one behind the other, each a header and its rows.
    ///
    /// # Errors
    ///
    /// As [`Run::parse`], with the line within the whole text.
    pub fn parse_all(text: &str) -> Result<Vec<Run>, LineError> {
        let lines: Vec<&str> = text.lines().collect();
        let is_header = |line: &&str| line.trim_start().starts_with("{\"run\":");
        let mut starts: Vec<usize> =
            (0..lines.len()).filter(|&index| is_header(&lines[index])).collect();
        // What stands before the first header is an error, which the first run tells.
        if starts.first() != Some(&0) {
            starts.insert(0, 0);
        }
        let ends = starts.iter().skip(1).copied().chain([lines.len()]);
        let parts = starts.iter().copied().zip(ends);
        let run = |(start, end): (usize, usize)| {
            let text = lines[start..end].join("\n");
            Run::parse(&text).map_err(|error| LineError { line: error.line + start, ..error })
        };
        parts.map(run).collect()
    }

    /// The run as JSON lines, as [`Run::parse`] reads them.
    pub fn to_json_lines(&self) -> String {
        let mut text = String::new();
        let to_json = "names and finite numbers have a JSON form";
        writeln!(text, "{}", serde_json::to_string(&self.header).expect(to_json))
            .expect("a string grows");
        for row in &self.rows {
            writeln!(text, "{}", serde_json::to_string(&row.in_run()).expect(to_json))
                .expect("a string grows");
        }
        text
    }
}

/// serde_json's message, with a hint where the cause is a common one.
fn explain(error: &serde_json::Error, line: &str) -> String {
    let hint = if error.is_eof() {
        ", the line was cut off: measure again"
    } else if line.contains("NaN") || line.contains("Infinity") {
        ", and JSON has no NaN or infinity: what could not be measured is a row with `failed`"
    } else {
        ""
    };
    // The line number that serde_json gives is that within this one line.
    let message = error.to_string();
    let message = message.split(" at line 1 column").next().unwrap_or(&message);
    match error.column() {
        0 => format!("{message}{hint}"),
        column => format!("{message} (column {column}){hint}"),
    }
}
