//! A recording: the steps of many operations, and one of these operations in detail. It contains
//! what the kernel's tracepoints and the program's timestamps recorded, to the nanosecond.

use measurement::name_check::{check_label, check_text, LONGEST};
use measurement::statistics::median;
use measurement::{Measured, Outcome, Parameter, Parameters, Row, Source, Unit};
use serde::{Deserialize, Serialize};

use crate::timeline::Timeline;

/// The quantity for the time of a recorded operation or step. The parameter [`STEP`] says which
/// one.
pub const RECORDED_TIME: &str = "recorded time";

/// The quantity for an operation's time without recording, extrapolated from the cost of an
/// event.
pub const EXTRAPOLATED_TIME: &str = "extrapolated time";

/// The quantity for an operation's time in the same processes while nothing was recorded.
pub const UNRECORDED_TIME: &str = "unrecorded time";

/// The parameter that names a step. For the whole operation, its value is [`WHOLE`].
pub const STEP: &str = "step";

/// The value of the parameter [`STEP`] for the whole operation.
pub const WHOLE: &str = "all";

/// The value of the parameter [`STEP`] for the difference between the median of the whole
/// operation and the sum of the steps' medians.
pub const LEFT_OVER: &str = "left over";

/// The recording of a contender at one setting, or the reason why it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawRecording")]
pub struct Recording {
    /// The implementation whose operations were recorded, for instance `tokio multi-thread`.
    pub contender: String,
    /// The setting at which the contender was recorded.
    pub parameters: Parameters,
    /// The result.
    #[serde(flatten)]
    pub outcome: RecordingOutcome,
}

/// A recording as read from a file, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRecording {
    contender: String,
    #[serde(default)]
    parameters: Parameters,
    recorded: Option<Box<Recorded>>,
    failed: Option<String>,
}

impl TryFrom<RawRecording> for Recording {
    type Error = &'static str;

    fn try_from(raw: RawRecording) -> Result<Recording, &'static str> {
        let RawRecording { contender, parameters, recorded, failed } = raw;
        let outcome = match (recorded, failed) {
            (Some(recorded), None) => RecordingOutcome::Recorded(recorded),
            (None, Some(reason)) => RecordingOutcome::Failed(reason),
            _ => return Err("it has either `recorded`, or `failed` with the reason"),
        };
        Ok(Recording { contender, parameters, outcome })
    }
}

/// The result of recording a cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordingOutcome {
    /// The recorded operations.
    Recorded(Box<Recorded>),
    /// The reason why the cell could not be recorded.
    Failed(String),
}

/// The recorded operations of a contender at one setting. Times are in nanoseconds; each list has
/// one median per process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// The name of the operation, such as `hop`.
    pub operation: String,
    /// True if the operation is too short for the kernel's events, so that only the program's own
    /// timestamps were recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stamps_only: bool,
    /// The number of recorded operations that went through `steps`.
    pub operations: usize,
    /// The number of recorded operations that were left out because they went through other
    /// steps.
    pub others: usize,
    /// The operation's time while all events were recorded.
    pub lengths: Vec<f64>,
    /// The number of events per operation while all events were recorded.
    pub events: Vec<f64>,
    /// The operation's time while only its first and last event were recorded.
    pub few_lengths: Vec<f64>,
    /// The number of events per operation while only its first and last event were recorded.
    pub few_events: Vec<f64>,
    /// The operation's time while nothing was recorded; empty if the program does other work
    /// between operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<f64>,
    /// The steps in order, timed while all events were recorded.
    pub steps: Vec<RecordedStep>,
    /// An operation to show in detail. Its length is the median in its process, and that process
    /// has the median length of all processes.
    pub shown: Timeline,
}

/// A step of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedStep {
    /// The moments at which the step begins and ends, such as `write to waking`.
    pub name: String,
    /// The step's time in nanoseconds, one median per process.
    pub took: Vec<f64>,
}

impl Recording {
    /// Returns the name by which a page selects the recording, such as `std::thread,
    /// kernel=pipe`.
    pub fn name(&self) -> String {
        if self.parameters.0.is_empty() {
            self.contender.clone()
        } else {
            format!("{}, {}", self.contender, self.parameters)
        }
    }

    /// Returns the recorded operations, or the reason for the failure.
    pub fn recorded(&self) -> Result<&Recorded, &str> {
        match &self.outcome {
            RecordingOutcome::Recorded(recorded) => Ok(recorded),
            RecordingOutcome::Failed(reason) => Err(reason),
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        check_label("contender", &self.contender)?;
        self.parameters.check()?;
        match self.recorded() {
            Ok(recorded) => recorded.check(),
            Err("") => Err("`failed` gives no reason".to_owned()),
            Err(reason) => check_text("`failed`", reason, LONGEST),
        }
    }

    /// Returns the figures as rows of `experiment`, so that a page can select them: the recorded
    /// times of the operation and of each step, the difference between the operation and the sum
    /// of its steps, and the time without recording, extrapolated and measured. If recording
    /// failed, there is one row with the reason.
    pub fn rows(&self, experiment: &str) -> Vec<Row> {
        let row = |quantity: &str, step: Option<&str>, outcome| {
            let mut parameters = self.parameters.clone();
            let step_of_it = step.map(|step| (STEP.to_owned(), Parameter::from(step)));
            parameters.0.extend(step_of_it);
            let difference = step == Some(LEFT_OVER) || quantity == EXTRAPOLATED_TIME;
            let row = Row::new(experiment, &self.contender, parameters, quantity, outcome);
            Row { difference, ..row }
        };
        let recorded = match self.recorded() {
            Ok(recorded) => recorded,
            Err(reason) => {
                let failed = Outcome::Failed(reason.to_owned());
                return vec![row(RECORDED_TIME, Some(WHOLE), failed)];
            }
        };
        let source = if recorded.stamps_only { Source::Harness } else { Source::Tracepoint };
        let measured = |quantity: &str, step: Option<&str>, points: &[f64]| {
            let measured = Measured::from_points(points.to_vec(), points.len(), source);
            row(quantity, step, Outcome::Measured(measured))
        };
        let of_step = |name, took: &[f64]| measured(RECORDED_TIME, Some(name), took);
        let mut rows = vec![of_step(WHOLE, &recorded.lengths)];
        rows.extend(recorded.steps.iter().map(|step| of_step(&step.name, &step.took)));
        rows.push(of_step(LEFT_OVER, &recorded.left_over()));
        rows.push(measured(EXTRAPOLATED_TIME, None, &recorded.extrapolated()));
        if !recorded.unrecorded.is_empty() {
            rows.push(measured(UNRECORDED_TIME, None, &recorded.unrecorded));
        }
        rows
    }
}

impl Recorded {
    /// Returns, for each process, the difference between the operation's median and the sum of
    /// the steps' medians, in nanoseconds.
    pub fn left_over(&self) -> Vec<f64> {
        self.in_each(|process| {
            let steps = self.steps.iter().map(|step| step.took[process]);
            self.lengths[process] - steps.sum::<f64>()
        })
    }

    /// Returns, for each process, the cost of recording an event, in nanoseconds: the extra time
    /// while all events are recorded, divided by the number of extra events.
    pub fn event_costs(&self) -> Vec<f64> {
        self.in_each(|process| {
            let more = self.events[process] - self.few_events[process];
            (self.lengths[process] - self.few_lengths[process]) / more.max(1.0)
        })
    }

    /// Returns, for each process, how long an operation would take without recording, in
    /// nanoseconds. This is extrapolated from the cost of an event.
    pub fn extrapolated(&self) -> Vec<f64> {
        let costs = self.event_costs();
        self.in_each(|of| self.few_lengths[of] - self.few_events[of] * costs[of])
    }

    fn in_each(&self, figure: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.lengths.len()).map(figure).collect()
    }

    /// Returns the index of the process whose time per operation is the median of all processes.
    pub fn median_process(&self) -> usize {
        let middle = median(&self.lengths);
        let off = |process: &usize| (self.lengths[*process] - middle).abs();
        let by_distance = |a: &usize, b: &usize| off(a).total_cmp(&off(b));
        (0..self.lengths.len()).min_by(by_distance).expect("there is one")
    }

    fn check(&self) -> Result<(), String> {
        let processes = self.lengths.len();
        if processes == 0 || self.steps.is_empty() || self.operations == 0 {
            return Err("a recording has a process, a step and an operation at least".to_owned());
        }
        check_label("operation", &self.operation)?;
        for RecordedStep { name, .. } in &self.steps {
            check_label("step", name)?;
        }
        let mut lists = vec![
            ("lengths", &self.lengths),
            ("events", &self.events),
            ("few_lengths", &self.few_lengths),
            ("few_events", &self.few_events),
            ("unrecorded", &self.unrecorded),
        ];
        lists.retain(|(name, list)| *name != "unrecorded" || !list.is_empty());
        lists.extend(self.steps.iter().map(|step| (&*step.name, &step.took)));
        for (name, list) in lists {
            let are_figures = list.iter().all(|value| value.is_finite() && *value >= 0.0);
            if list.len() != processes || !are_figures {
                return Err(format!("`{name}` is not a finite figure from zero up for each of {processes} processes"));
            }
            let unit = if ["events", "few_events"].contains(&name) {
                Unit::One
            } else {
                Unit::Nanoseconds
            };
            list.iter().try_for_each(|value| unit.check(name, *value, false))?;
        }
        let (shown, steps) = (self.shown.steps.len(), self.steps.len());
        if shown != steps {
            return Err(format!("{shown} steps are shown, {steps} were recorded"));
        }
        self.shown.check()
    }
}
