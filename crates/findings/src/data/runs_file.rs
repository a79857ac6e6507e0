//! Files of runs: those that measured an experiment on a machine, and those that recorded it.

use measurement::{Evidence, Run, RunHeader};
use recordings::RecordingRun;

/// The runs that measured an experiment.
#[derive(Debug)]
pub struct RunsFile {
    /// The file, relative to the book's root, for messages.
    pub file: String,
    /// The chapter.
    pub chapter: String,
    /// The experiment.
    pub experiment: String,
    /// Those that are shown, oldest first: those that count, else the last ones that were measured alike.
    pub runs: Vec<Run>,
    /// Those that are history.
    pub history: Vec<Run>,
    /// The headers of runs that are faulty, each of which says why. They count for nothing.
    pub faulty: Vec<RunHeader>,
    /// In what those that are shown differ from the tree; empty if they are up to date, and count.
    pub stale: Vec<String>,
}

/// The run that recorded an experiment last.
#[derive(Debug)]
pub struct RecordingsFile {
    /// The experiment.
    pub experiment: String,
    /// The run.
    pub run: RecordingRun,
    /// In what it differs from the tree.
    pub stale: Vec<String>,
}

impl RecordingsFile {
    /// What it says, as rows.
    pub(super) fn evidence(&self) -> Evidence {
        let recordings = self.run.recordings.iter();
        let rows = recordings.flat_map(|recording| recording.rows(&self.experiment));
        Evidence::of_found(self.run.header.clone(), rows.collect())
    }
}
