//! Files of runs that measured or recorded an experiment on a machine.

use measurement::{Evidence, Run, RunHeader};
use recordings::RecordingRun;

/// The measuring runs of an experiment on a machine.
#[derive(Debug)]
pub struct RunsFile {
    /// The path of the file relative to the book's root, for messages.
    pub file: String,
    /// The chapter.
    pub chapter: String,
    /// The experiment.
    pub experiment: String,
    /// The shown runs, oldest first: those that match the tree or, if none does, the latest run
    /// and the runs that measured the same code.
    pub runs: Vec<Run>,
    /// Older runs.
    pub history: Vec<Run>,
    /// The headers of faulty runs, which give the reasons. The figures of these runs aren't used.
    pub faulty: Vec<RunHeader>,
    /// The differences between the shown runs and the tree; empty if they match.
    pub stale: Vec<String>,
}

/// The latest recording run of an experiment on a machine.
#[derive(Debug)]
pub struct RecordingsFile {
    /// The experiment.
    pub experiment: String,
    /// The run.
    pub run: RecordingRun,
    /// The differences between the run and the tree; empty if they match.
    pub stale: Vec<String>,
}

impl RecordingsFile {
    /// Returns the run's figures as rows.
    pub(super) fn evidence(&self) -> Evidence {
        let recordings = self.run.recordings.iter();
        let rows = recordings.flat_map(|recording| recording.rows(&self.experiment));
        Evidence::of_found(self.run.header.clone(), rows)
    }
}
