//! The protocol between parent and child.

use std::time::Duration;

use measurement::Window;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counter::Pass;

/// The arguments that make a process a child or a tracer, and the one that
/// marks the tracer's child.
pub(crate) const CHILD: &str = "--child";
pub(crate) const TRACER: &str = "--tracer";
pub(crate) const TRACED: &str = "--traced";

/// A request of the parent.
#[derive(Serialize, Deserialize)]
pub(crate) struct Request {
    /// The cell's name.
    pub(crate) cell: String,
    /// True for the twin of the cell.
    pub(crate) is_twin: bool,
    pub(crate) ask: Ask,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Finds how many operations fill a sample. The answer is their number, and
    /// the time of one.
    Calibrate { sample: Duration },
    /// Visits the cell: one criterion run if it is timed, otherwise its own
    /// reading. The answer is [`Found`].
    Visit { operations: u64, warm_up: Duration },
    /// Counts during `operations` operations. The child then counts in this
    /// pass only and gets no other requests. The answer is a figure per
    /// operation for each of the experiment's counters of this pass, or why it
    /// cannot be read.
    Count { pass: Pass, operations: u64 },
    /// Traces the system calls during `operations` operations. For a traced
    /// child: its tracer answers how often each call was made in total, by
    /// number.
    Trace { operations: u64 },
    /// Records operations as the kernel and the program see them. The answer is
    /// the recording of one process.
    Record,
}

/// The child's answer, or why there is none: the cell panicked, gave a wrong
/// answer or cannot run here.
pub(crate) type Report = Result<Value, String>;

/// The result of a visit.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// One figure for each of the cell's quantities; for a timed cell, the
    /// nanoseconds of an operation in the median sample. Percentiles come last,
    /// and are missing if a window has no histogram.
    pub(crate) figures: Vec<f64>,
    /// The window's counts, one of each.
    pub(crate) window: Option<Window>,
    /// The buckets of a window's histogram of latencies, see
    /// [`crate::window::buckets`].
    pub(crate) latencies: Vec<(u64, u64)>,
    /// The points of the line whose slope is the figure.
    pub(crate) line: Vec<(f64, f64)>,
    /// The probe around the visit, in nanoseconds.
    pub(crate) probe: f64,
}
