//! The protocol between the parent process and its children.

use std::time::Duration;

use measurement::Window;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counter::Pass;

/// Arguments that make a process a child or a tracer, and the one that marks
/// the tracer's own child.
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
    /// Determines how many operations fill a sample. The answer is this
    /// number, and how long one operation takes.
    Calibrate { sample: Duration },
    /// Visits the cell: a criterion run for a timed cell, otherwise the
    /// cell's own reading. The answer is [`Found`].
    Visit { operations: u64, warm_up: Duration },
    /// Counts during `operations` operations. From then on, the child counts
    /// in this pass only and gets no other requests. The answer is a list
    /// with an entry for each of the experiment's counters of this pass: a
    /// figure per operation, or the reason why the counter cannot be read.
    Count { pass: Pass, operations: u64 },
    /// Traces the system calls of `operations` operations. For a traced
    /// child, whose tracer answers in its place: for each call number, the
    /// total count.
    Trace { operations: u64 },
    /// Records operations, as seen by the kernel and by the program. The
    /// answer is the recording of one process.
    Record,
}

/// The answer of the child, or why there is none: the cell panicked, gave a
/// wrong answer, or cannot run here.
pub(crate) type Report = Result<Value, String>;

/// The result of a visit.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// One figure for each of the cell's quantities. For a timed cell, this
    /// is how long an operation takes in the median sample, in nanoseconds.
    /// Percentiles come last, and are missing if a window has no histogram.
    pub(crate) figures: Vec<f64>,
    /// The counts of the window, with one entry in each list.
    pub(crate) window: Option<Window>,
    /// The buckets of the window's histogram of latencies, see
    /// [`crate::window::buckets`].
    pub(crate) latencies: Vec<(u64, u64)>,
    /// The points of the line whose slope is the figure.
    pub(crate) line: Vec<(f64, f64)>,
    /// How long the probe around the visit took, in nanoseconds.
    pub(crate) probe: f64,
}
