//! What parent and child say to each other: JSON lines, requests on the child's standard input,
//! replies on its standard output, marked, since criterion prints there too.

use std::collections::BTreeMap;

use recordings::recording::Recorded;
use serde::{Deserialize, Serialize};

use crate::counters::Pass;
use crate::window::WindowCounts;

/// The argument that makes a process a child.
pub(crate) const CHILD: &str = "--child";

/// The argument that makes a process a tracer, and that which tells its child.
pub(crate) const TRACER: &str = "--tracer";
pub(crate) const TRACED: &str = "--traced";

/// Stands before a reply, to tell it from what criterion prints.
pub(crate) const MARK: &str = "harness-reply ";

/// What the parent asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) cell: CellId,
    pub(crate) ask: Ask,
}

/// Which cell is meant. A twin is the same cell, started a second time.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
)]
pub(crate) struct CellId {
    /// The place among all cells of the chapter.
    pub(crate) index: usize,
    pub(crate) is_twin: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// How many operations fill a sample?
    Calibrate { sample_ns: f64 },
    /// One criterion run.
    Visit { operations: u64, warm_up_ns: u64 },
    /// What is counted during so many operations? Makes the child one that counts in this pass, so
    /// that it is asked for nothing else.
    Count { pass: Pass, operations: u64 },
    /// Which system calls are made during so many operations? For a traced child.
    Trace { operations: u64 },
    /// What does the cell find that is not timed by criterion?
    Take,
    /// What do the kernel and the program see of an operation?
    Record,
}

/// What the child answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// How many operations fill a sample, and how long one takes.
    Calibrated { operations: u64, operation_ns: f64 },
    /// What a visit found, and how long the core took for the probe around it.
    Visited { found: VisitOutcome, probe_ns: f64 },
    /// Each of the experiment's counters of this pass per operation, or why it cannot be read.
    Counted { counts: Vec<Result<f64, String>> },
    /// How often each system call was made, by its number, in all operations. The tracer says so.
    Traced { calls: BTreeMap<u64, u64> },
    /// What was recorded.
    Recorded(Box<Recorded>),
    /// The cell panicked, gave a wrong answer or cannot run here.
    Failed { reason: String },
}

/// What a visit found of a cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum VisitOutcome {
    /// The nanoseconds of an operation in the median sample.
    Time(f64),
    /// What a window counted.
    Window(WindowCounts),
    /// A figure for each of the cell's quantities.
    Readings(Vec<f64>),
    /// The slope of the line through these points.
    Line { slope: f64, points: Vec<(f64, f64)> },
}
