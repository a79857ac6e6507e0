//! What parent and child say to each other.

use std::time::Duration;

use measurement::Window;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::counters::Pass;

/// The arguments that make a process a child, or a tracer, and that which tells the tracer's child.
pub(crate) const CHILD: &str = "--child";
pub(crate) const TRACER: &str = "--tracer";
pub(crate) const TRACED: &str = "--traced";

/// What the parent asks for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Request {
    /// The cell's name.
    pub(crate) cell: String,
    /// Whether the cell is meant that was started a second time.
    pub(crate) is_twin: bool,
    pub(crate) ask: Ask,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// How many operations fill a sample? Answered by their number, and how long one takes.
    Calibrate { sample: Duration },
    /// One criterion run, if the cell is timed; else what it finds otherwise. Answered by [`Found`].
    Visit { operations: u64, warm_up: Duration },
    /// What is counted during so many operations? Makes the child one that counts in this pass, so that it is
    /// asked for nothing else. Answered by a figure per operation for each of the experiment's counters of
    /// this pass, or why it cannot be read.
    Count { pass: Pass, operations: u64 },
    /// Which system calls are made during so many operations? For a traced child, whose tracer answers how
    /// often each was made in all operations, by its number.
    Trace { operations: u64 },
    /// What do the kernel and the program see of an operation? Answered by what a process recorded.
    Record,
}

/// What the child answers, or why there is none: the cell panicked, gave a wrong answer or cannot run here.
pub(crate) type Report = Result<Value, String>;

/// What a visit found of a cell.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// One for each of the cell's quantities; of what is timed, the nanoseconds of an operation in the median
    /// sample. A window without a histogram has none of its percentiles, which come last.
    pub(crate) figures: Vec<f64>,
    /// What a window counted beside: one of each that it counts.
    pub(crate) window: Option<Window>,
    /// The buckets of a window's histogram of latencies, see [`crate::window::buckets`].
    pub(crate) latencies: Vec<(u64, u64)>,
    /// The points of the line of which the figure is the slope.
    pub(crate) line: Vec<(f64, f64)>,
    /// How many nanoseconds the core took for the probe around the visit.
    pub(crate) probe: f64,
}
