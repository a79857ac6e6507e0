//! A file of recordings: those of an experiment on a machine, of which the last run is shown.

use recordings::RecordingRun;

/// The recordings of an experiment that are shown.
#[derive(Debug, Clone)]
pub struct RecordingsFile {
    /// The file, relative to the book's root, for messages.
    pub file: String,
    /// The experiment.
    pub experiment: String,
    /// The last run.
    pub run: RecordingRun,
    /// In what it differs from the tree.
    pub stale: Vec<String>,
}
