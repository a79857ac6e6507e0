//! The protocol between the parent process and its children.

use std::time::Duration;

use measurement::Window;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counter::Pass;

/// Command-line arguments that make this program a child, a tracer, or the
/// child of a tracer.
pub(crate) const CHILD: &str = "--child";
pub(crate) const TRACER: &str = "--tracer";
pub(crate) const TRACED: &str = "--traced";

#[derive(Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) cell: String,
    pub(crate) is_twin: bool,
    pub(crate) ask: Ask,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Asks how many operations fill a sample. The answer gives this number
    /// and the time of one operation.
    Calibrate { sample: Duration },
    /// Measures a benchmark. A timed benchmark is measured by a criterion
    /// run, any other by calling its own function. The answer is [`Found`].
    Visit { operations: u64, warm_up: Duration },
    /// Counts events during `operations` operations. From then on, the child
    /// counts in this pass only and gets no other requests. The answer is a
    /// list with an entry for each of the experiment's counters of this pass:
    /// a figure per operation, or the reason why the counter cannot be read.
    Count { pass: Pass, operations: u64 },
    /// Traces the system calls during `operations` operations in a traced
    /// child. The tracer, not the child, sends the answer: how often each
    /// system call was made, by number.
    Trace { operations: u64 },
    /// Records operations step by step, as seen by the kernel and by the
    /// program. The answer is the recording from one process.
    Record,
}

/// The child's answer, or why there is none: the benchmark panicked, gave a
/// wrong answer, or cannot run here.
pub(crate) type Report = Result<Value, String>;

/// The result of one measurement of a benchmark.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// One figure for each of the benchmark's quantities. For a timed
    /// benchmark, this is the time per operation in the median sample, in
    /// nanoseconds. Percentiles come last. They are missing if any window has
    /// no histogram.
    pub(crate) figures: Vec<f64>,
    /// The rates and counts of requests in a window of time. Each list has one
    /// entry, or none if there is nothing to report.
    pub(crate) window: Option<Window>,
    /// The buckets of the window's histogram of latencies, see
    /// [`crate::window::buckets`].
    pub(crate) latencies: Vec<(u64, u64)>,
    /// The points to which a line is fitted. The slope of the line is the
    /// figure.
    pub(crate) line: Vec<(f64, f64)>,
    /// The time that the core's speed probe took around this measurement, in
    /// nanoseconds.
    pub(crate) probe: f64,
}
