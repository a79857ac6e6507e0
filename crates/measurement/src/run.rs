//! A run: a header and its rows, as JSON lines.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;
use crate::name_check::check_slug;
use crate::row::RawRow;
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

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Fingerprint>,
    /// By what it was known which CPU time was the run's own: `cgroup v2` or
    /// `process tree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_use: Option<String>,
    /// Share of the machine's CPU time that others used during the run, 0 to 1.
    pub load: f64,
    /// Share of the machine's CPU time that the hypervisor kept during the run, 0 to 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// Over how many processes the points of each row are spread.
    #[serde(default = "one")]
    pub processes: usize,
    /// How many rounds each process did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// How many rows follow, so that a file that was cut off is known as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// The seed of the orders in which the cells were visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Why the run is faulty, if it is: it is kept and told, and counts for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowed: Option<f64>,
    /// How long a cache line took from the first CPU to the last and back, in nanoseconds, when the
    /// round began.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// If it is none, or cannot be true.
    pub fn parse(line: &str) -> Result<RunHeader, String> {
        let read = serde_json::from_str(line);
        let header: RunHeader =
            read.map_err(|why| format!("not the header of a run: {}", explain(&why, line)))?;
        header.check()?;
        Ok(header)
    }

    fn check(&self) -> Result<(), String> {
        check_slug("machine", &self.machine)?;
        check_slug("chapter", &self.chapter)?;
        check_slug("experiment", &self.experiment)?;
        humantime::parse_rfc3339(&self.run)
            .map_err(|why| format!("`run` is {:?}, which is no time: {why}", self.run))?;
        ensure!(self.processes > 0, "`processes` is 0");
        let has_reason = self.fault.as_ref().is_none_or(|fault| !fault.trim().is_empty());
        ensure!(has_reason, "`fault` gives no reason");
        let own = [("load", Some(self.load)), ("steal", self.steal)];
        let logged = self.log.iter().flat_map(|of| [Some(of.load), Some(of.steal), of.slowed]);
        for (field, share) in own.into_iter().chain(logged.map(|share| ("log", share))) {
            let is_share = share.is_none_or(|share| share >= 0.0);
            ensure!(is_share, "`{field}` is {}, which is no share", share.unwrap_or_default());
        }
        for (name, version) in &self.crates {
            ensure!(!version.is_empty(), "`crates` has no version of {name}");
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

    /// What was probed in all its visits, in nanoseconds.
    pub fn probes(&self) -> Vec<f64> {
        let visits = self.rows.iter().filter_map(|row| row.measured()?.visits.as_ref());
        visits.flat_map(|visits| visits.probe.iter().copied()).collect()
    }

    /// Reads a run from JSON lines: a header, then rows.
    ///
    /// # Errors
    ///
    /// Names the line if it is no JSON, not a row, a row that cannot be true (a time below zero, an
    /// interval out of order, ...), one that stands twice, or if the file was cut off.
    pub fn parse(text: &str) -> Result<Run, LineError> {
        let mut runs = Run::parse_all(text)?;
        let is_one = runs.len() == 1;
        runs.pop()
            .filter(|_| is_one)
            .ok_or_else(|| LineError::new(1, "the file holds several runs"))
    }

    /// Reads runs that stand one behind the other, each a header and its rows.
    ///
    /// # Errors
    ///
    /// As [`Run::parse`].
    pub fn parse_all(text: &str) -> Result<Vec<Run>, LineError> {
        let mut runs: Vec<(usize, Run)> = Vec::new();
        let mut seen = HashMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let error = |message: String| LineError { line: number, message };
            match runs.last_mut() {
                Some((_, run)) if !line.trim_start().starts_with("{\"run\":") => {
                    let row = run.row(line).map_err(error)?;
                    if let Some(earlier) = seen.insert(row.name(), number) {
                        let message = format!("{:?} stands on line {earlier} already", row.name());
                        return Err(error(message));
                    }
                    run.rows.push(row);
                }
                _ => {
                    let header = RunHeader::parse(line).map_err(error)?;
                    runs.push((number, Run { header, rows: Vec::new() }));
                    seen.clear();
                }
            }
        }
        if runs.is_empty() {
            return Err(LineError::new(1, "the file is empty, a run begins with its header"));
        }
        let whole = |(line, run): (usize, Run)| {
            let found = run.rows.len();
            let expected = run.header.rows.unwrap_or(found.max(1));
            let cut_off = || {
                let message = format!(
                    "{expected} rows belong to this header, {found} are there: \
                     the file was cut off, measure again"
                );
                LineError { line, message }
            };
            (found == expected).then_some(run).ok_or_else(cut_off)
        };
        runs.into_iter().map(whole).collect()
    }

    /// Reads one of its rows.
    fn row(&self, line: &str) -> Result<Row, String> {
        let RunHeader { experiment, builds, processes, .. } = &self.header;
        let raw: RawRow = serde_json::from_str(line)
            .map_err(|why| format!("not a row: {}", explain(&why, line)))?;
        let other = raw.experiment.clone().filter(|other| other != experiment);
        let row = raw.check(experiment).map_err(|why| format!("not a row: {why}"))?;
        ensure!(other.is_none(), "{:?} stands in a run of {experiment:?}", row.name());
        if let Outcome::Measured(measured) = &row.outcome {
            let (visits, points) = (&measured.visits, measured.points.len());
            let ran = visits.iter().flat_map(|visits| &visits.build);
            let are_known = ran.into_iter().all(|build| (*build as usize) < builds.len());
            let builds = builds.len();
            ensure!(are_known, "a visit ran another build than the {builds} that the header has");
            let is_even = visits.is_some() || points.is_multiple_of(*processes);
            ensure!(
                is_even,
                "{points} points do not spread evenly over the run's {processes} processes"
            );
        }
        Ok(row)
    }

    /// The run as JSON lines, as [`Run::parse`] reads them.
    pub fn to_json_lines(&self) -> String {
        let to_json = "names and finite numbers have a JSON form";
        let header = serde_json::to_string(&self.header).expect(to_json);
        let rows = self.rows.iter().map(|row| serde_json::to_string(row).expect(to_json));
        [header].into_iter().chain(rows).map(|line| line + "\n").collect()
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
