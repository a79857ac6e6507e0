//! The header of a run: what is true of all its rows.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;
use crate::name_check::{check_commit, check_slug, check_texts};
use crate::row::RawRow;
use crate::{Fingerprint, Outcome, Row, Unit, METHOD};

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
    #[serde(deserialize_with = "crate::unique_keys::deserialize")]
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

    /// How many rounds were done again because others disturbed them.
    pub fn repeated(&self) -> usize {
        self.log.iter().map(|round| round.repeated).sum()
    }

    /// Reads a header from its line.
    pub fn parse(line: &str) -> Result<RunHeader, String> {
        let read = serde_json::from_str(line);
        let header: RunHeader =
            read.map_err(|why| format!("not the header of a run: {}", explain(&why, line)))?;
        header.check()?;
        Ok(header)
    }

    /// Reads a row of the run.
    pub(crate) fn row(&self, line: &str) -> Result<Row, String> {
        let RunHeader { experiment, builds, processes, .. } = self;
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

    fn check(&self) -> Result<(), String> {
        check_slug("machine", &self.machine)?;
        check_slug("chapter", &self.chapter)?;
        check_slug("experiment", &self.experiment)?;
        humantime::parse_rfc3339(&self.run)
            .map_err(|why| format!("`run` is {:?}, which is no time: {why}", self.run))?;
        ensure!(self.processes > 0, "`processes` is 0");
        ensure!(
            self.method <= METHOD,
            "`method` is {}, and this book knows {METHOD} at most: a later version measured, so update this one",
            self.method
        );
        if !self.commit.is_empty() {
            check_commit(self.commit.strip_suffix("-dirty").unwrap_or(&self.commit))?;
        }
        let host = self.host.iter().flat_map(|host| [&host.kernel, &host.idle, &host.boot]);
        let told = [&self.workload, &self.own_use, &self.fault].into_iter().chain(host).flatten();
        let crates = self.crates.iter().flat_map(|(name, version)| [name, version]);
        check_texts("a text", told.chain(crates).chain([&self.rustc]))?;
        let has_reason = self.fault.as_ref().is_none_or(|fault| !fault.trim().is_empty());
        ensure!(has_reason, "`fault` gives no reason");
        let own = [("load", Some(self.load)), ("steal", self.steal)];
        let logged = self.log.iter().flat_map(|of| [Some(of.load), Some(of.steal), of.slowed]);
        for (field, share) in own.into_iter().chain(logged.map(|share| ("log", share))) {
            let share = share.unwrap_or_default();
            let is_share = (0.0..=1.0).contains(&share);
            ensure!(is_share, "`{field}` is {share}, which is no share: from 0 to 1");
        }
        let lines = self.host.iter().flat_map(|host| host.line_ns.iter().flatten());
        let lines =
            lines.map(|(.., line)| *line).chain(self.log.iter().filter_map(|of| of.line_ns));
        for line in lines {
            Unit::Nanoseconds.check("line_ns", line, false)?;
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

/// serde_json's message, with a hint where the cause is a common one.
fn explain(error: &serde_json::Error, line: &str) -> String {
    let hint = if line.trim().is_empty() {
        ", the line is empty: remove it"
    } else if error.is_eof() {
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
