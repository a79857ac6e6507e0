//! The header of a run: the facts that apply to all its rows.

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
    /// A fixed subset of the contenders and settings, in few processes, for a first impression.
    Quick,
    /// All contenders and settings, in more processes than in a quick run. Used to measure the
    /// book's own data.
    Full,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The facts that apply to every row of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// When the run began, as UTC in RFC 3339 format.
    pub run: String,
    /// The machine's name, which is also the name of its directory under data/; `local` for the
    /// reader's own machine.
    pub machine: String,
    /// The name of the chapter, which is also the name of its package.
    pub chapter: String,
    /// The experiment whose rows follow.
    pub experiment: String,
    /// The profile.
    pub profile: Profile,
    /// The commit of the source tree, with `-dirty` appended if there were uncommitted changes;
    /// `unknown` without git.
    pub commit: String,
    /// The version number of the measuring method, [`crate::METHOD`], at the time of the run.
    pub method: u32,
    /// The hash of the tokens of the experiment's code, see [`crate::workload`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The linker seeds of the builds that ran. Rows refer to builds by their index in this list.
    /// Seed 0 stands for the build made by cargo.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<u64>,
    /// The compiler's version.
    pub rustc: String,
    /// The locked versions of the measured crates, by name.
    #[serde(deserialize_with = "crate::unique_keys::deserialize")]
    pub crates: BTreeMap<String, String>,
    /// The fingerprint of the machine, taken by the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Fingerprint>,
    /// How the run's own CPU time was measured: by `cgroup v2` or `process tree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_use: Option<String>,
    /// The share of the machine's CPU time that other processes used during the run, from 0 to 1.
    pub load: f64,
    /// The share of the machine's CPU time that the hypervisor took during the run, from 0 to 1,
    /// if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// The number of processes over which the points of each row are spread.
    #[serde(default = "one")]
    pub processes: usize,
    /// The number of rounds in each process. A round goes through all measurements, there and
    /// back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// The number of rows that follow. If the file has fewer, it was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// The seed for the random orders of the measurements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The reason why the run is faulty, if it is. A faulty run is kept and reported, but its
    /// figures aren't used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// One entry per round, in (process, round) order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<RoundLog>,
}

/// The state of the machine during one round.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundLog {
    /// The share of the machine's CPU time that other processes used, from 0 to 1.
    pub load: f64,
    /// The share of the machine's CPU time that the hypervisor took, from 0 to 1.
    pub steal: f64,
    /// The share of measurements that were slowed down: a small piece of work next to them took
    /// longer than the fastest in this run. Absent since 28 November 2026, since nothing reads
    /// the value, and it can be computed from the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowed: Option<f64>,
    /// How long a cache line took from the first CPU to the last and back, measured at the
    /// beginning of the round, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_ns: Option<f64>,
    /// How many times a measurement was repeated because other processes had disturbed it. The
    /// other values in this log describe the last attempt, whose results are kept.
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
    /// Returns whether the results of two runs can be combined: both used the same method, the
    /// same code and the same versions of crates and compiler.
    pub fn is_alike(&self, other: &RunHeader) -> bool {
        self.method == other.method
            && self.workload == other.workload
            && self.rustc == other.rustc
            && self.crates == other.crates
    }

    /// Returns the day on which the run began, such as `2026-11-30`.
    pub fn day(&self) -> &str {
        self.run.split('T').next().unwrap_or_default()
    }

    /// Returns the time of day at which the run began, in UTC, to the minute: `10:12`.
    pub fn time(&self) -> &str {
        self.run.split('T').nth(1).and_then(|time| time.get(..5)).unwrap_or_default()
    }

    /// Returns whether other programs used enough CPU time during the run to affect the figures,
    /// see [`is_disturbed`].
    pub fn is_disturbed(&self) -> bool {
        is_disturbed(self.load, self.steal.unwrap_or(0.0))
    }

    /// Returns how many measurements were repeated because other processes had disturbed them.
    pub fn repeated(&self) -> usize {
        self.log.iter().map(|round| round.repeated).sum()
    }

    /// Parses and checks a header line.
    pub fn parse(line: &str) -> Result<RunHeader, String> {
        let read = serde_json::from_str(line);
        let header: RunHeader =
            read.map_err(|why| format!("not the header of a run: {}", explain(&why, line)))?;
        header.check()?;
        Ok(header)
    }

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
        if !["", "unknown"].contains(&&*self.commit) {
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
        for line in self.log.iter().filter_map(|of| of.line_ns) {
            Unit::Nanoseconds.check("line_ns", line, false)?;
        }
        for (name, version) in &self.crates {
            ensure!(!version.is_empty(), "`crates` has no version of {name}");
        }
        Ok(())
    }
}

/// Returns whether other processes used more than 5 % of the machine's CPU time (`load`, from 0
/// to 1), or the hypervisor took more than 2 % of it (`steal`, from 0 to 1).
pub fn is_disturbed(load: f64, steal: f64) -> bool {
    load > 0.05 || steal > 0.02
}

/// Returns serde_json's error message, with a hint about common causes.
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
    // The JSON is a single line, so serde_json's own line number is misleading and is removed.
    let message = error.to_string();
    let message = message.split(" at line 1 column").next().unwrap_or(&message);
    match error.column() {
        0 => format!("{message}{hint}"),
        column => format!("{message} (column {column}){hint}"),
    }
}
