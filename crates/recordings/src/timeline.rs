//! A timeline of cores and threads during one operation. Times are in nanoseconds since the
//! operation began. The threads are called units.

use std::collections::BTreeMap;

use measurement::name_check::check_label;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What cores and threads did during one operation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// The operation's length, in nanoseconds.
    pub length: u64,
    /// The lengths of the operation's steps, which add up to `length`.
    pub steps: Vec<u64>,
    /// The names of the threads, starting with the one that began the operation.
    pub units: Vec<String>,
    /// The numbers of the cores on which the threads ran.
    pub cores: Vec<u32>,
    /// The activities of all cores and threads.
    pub spans: Vec<Span>,
    /// The wake-ups of one thread by another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wakes: Vec<Wake>,
    /// The events without duration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
}

/// A period in which a core or a thread did one thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The core or thread.
    pub of: LaneOf,
    /// The start, in nanoseconds since the operation began.
    pub from: u64,
    /// The end.
    pub to: u64,
    /// The activity.
    pub doing: Doing,
}

/// A core or a thread, by its index in the timeline's lists. Drawn as a lane of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaneOf {
    /// The core with this index.
    Core(usize),
    /// The thread with this index.
    Unit(usize),
}

/// The activity of a core or a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// The core has nothing to run.
    Idle,
    /// The core runs an unrelated process.
    Other,
    /// The core runs the thread with this index.
    Runs(usize),
    /// The thread runs in user mode, or in the kernel for an interrupt or a fault.
    User,
    /// The thread is in a system call, given by its name.
    Call(String),
    /// The thread could run, but has no core.
    Runnable,
    /// The thread sleeps until it is woken.
    Asleep,
}

/// A wake-up of one thread by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wake {
    /// The time, in nanoseconds since the operation began.
    pub at: u64,
    /// The index of the waking thread.
    pub by: usize,
    /// The index of the woken thread.
    pub woken: usize,
}

/// An event without duration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incident {
    /// The time, in nanoseconds since the operation began.
    pub at: u64,
    /// The core or thread to which the event belongs.
    pub of: LaneOf,
    /// The name of the event, such as `interrupt sent`.
    pub name: String,
}

impl Timeline {
    pub(crate) fn check(&self) -> Result<(), String> {
        let sum: u64 = self.steps.iter().sum();
        if sum != self.length || self.length == 0 {
            return Err(format!("the steps add up to {sum} ns, the operation has {}", self.length));
        }
        let calls = self.spans.iter().filter_map(|span| match &span.doing {
            Doing::Call(name) => Some(name),
            _ => None,
        });
        let incidents = self.incidents.iter().map(|incident| &incident.name);
        for name in self.units.iter().chain(incidents).chain(calls) {
            check_label("unit, call or incident", name)?;
        }
        let is_there = |lane: LaneOf| match lane {
            LaneOf::Core(core) => core < self.cores.len(),
            LaneOf::Unit(unit) => unit < self.units.len(),
        };
        let is_unit = |unit: usize| unit < self.units.len();
        let mut ended = BTreeMap::new();
        for Span { of, from, to, doing } in &self.spans {
            let before = ended.insert(*of, *to).unwrap_or(0);
            if *from < before {
                return Err(format!(
                    "a span of {} begins at {from} ns, where the one before it lasts until {before} ns: nothing does \
                     two things at once, and spans stand in their order",
                    json!(of)
                ));
            }
            let is_known = !matches!(doing, Doing::Runs(unit) if !is_unit(*unit));
            if !(is_there(*of) && is_known && from < to && *to <= self.length) {
                return Err(format!(
                    "a span from {from} to {to} ns does not fit into the timeline"
                ));
            }
        }
        let wakes =
            self.wakes.iter().map(|wake| (wake.at, is_unit(wake.by) && is_unit(wake.woken)));
        let incidents = self.incidents.iter().map(|incident| (incident.at, is_there(incident.of)));
        for moments in [
            self.wakes.iter().map(|wake| wake.at).collect::<Vec<_>>(),
            self.incidents.iter().map(|incident| incident.at).collect(),
        ] {
            if let Some(pair) = moments.windows(2).find(|pair| pair[0] > pair[1]) {
                return Err(format!(
                    "what happens at {} ns stands behind what happens at {} ns: order them by time",
                    pair[1], pair[0]
                ));
            }
        }
        match wakes.chain(incidents).find(|(at, is_known)| *at > self.length || !is_known) {
            Some((at, _)) => Err(format!("what happens at {at} ns does not fit into the timeline")),
            None => Ok(()),
        }
    }

    /// Returns the activities of a core or a thread, in order of time.
    pub fn of_lane(&self, lane: LaneOf) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.of == lane)
    }
}
