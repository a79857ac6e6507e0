//! Files of runs that measured an experiment on a machine, or recorded it.

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
    /// The shown runs, oldest first: those that count or, if there are none, the last ones with the
    /// same code.
    pub runs: Vec<Run>,
    /// Older runs.
    pub history: Vec<Run>,
    /// The headers of faulty runs, with the reasons. Their figures aren't used.
    pub faulty: Vec<RunHeader>,
    /// The differences between the shown runs and the tree; empty if they are up to date, and
    /// count.
    pub stale: Vec<String>,
}

/// The last run that recorded an experiment.
#[derive(Debug)]
pub struct RecordingsFile {
    /// The experiment.
    pub experiment: String,
    /// The run.
    pub run: RecordingRun,
    /// Its differences from the tree.
    pub stale: Vec<String>,
}

impl RecordingsFile {
    /// Returns its figures as rows.
    pub(super) fn evidence(&self) -> Evidence {
        let recordings = self.run.recordings.iter();
        let rows = recordings.flat_map(|recording| recording.rows(&self.experiment));
        Evidence::of_found(self.run.header.clone(), rows)
    }
}
