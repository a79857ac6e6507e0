//! What parent and child say to each other: JSON lines, requests on the child's standard input,
//! replies on its standard output, marked, since criterion prints there too.

use serde::{Deserialize, Serialize};

/// Stands before a reply, to tell it from what criterion prints.
pub(crate) const MARK: &str = "harness-reply ";

/// What the parent asks for. A cell is meant by its place in [`crate::run::all_cells`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Request {
    /// How many operations fill a sample?
    Calibrate { cell: usize, sample_ns: f64 },
    /// One criterion run.
    Visit { cell: usize, operations: u64, warm_up_ns: u64 },
}

/// What the child answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Reply {
    Calibrated {
        operations: u64,
        operation_ns: f64,
    },
    /// The median time of an operation.
    Visited {
        operation_ns: f64,
    },
    /// The cell panicked or gave a wrong answer.
    Failed {
        reason: String,
    },
}
