//! What one process recorded of a cell.

use recordings::timeline::Timeline;
use serde::{Deserialize, Serialize};

/// What a process recorded of a cell: medians over its operations, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessRecording {
    /// Whether the kernel's events were left out, since an operation is too short for them.
    pub(crate) stamps_only: bool,
    /// The names of the steps that most operations went through, and what each took.
    pub(crate) steps: Vec<(String, f64)>,
    /// How many operations went through these steps, and how many through others.
    pub(crate) operations: usize,
    pub(crate) others: usize,
    pub(crate) length: f64,
    pub(crate) events: f64,
    pub(crate) few_length: f64,
    pub(crate) few_events: f64,
    /// Where operations follow each other without anything between them.
    pub(crate) unrecorded: Option<f64>,
    /// The operation of the median length.
    pub(crate) shown: Timeline,
}
