//! Files with the runs of an experiment on a machine.

use measurement::{Evidence, Run, RunHeader};
use recordings::RecordingRun;

/// The runs that measured an experiment on a machine.
#[derive(Debug)]
pub struct RunsFile {
    /// The path of the file relative to the book's root, for error messages.
    pub file: String,
    /// The chapter that the experiment belongs to.
    pub chapter: String,
    /// The name of the experiment.
    pub experiment: String,
    /// The runs that the pages show, oldest first. These are the runs that match the source tree.
    /// If none does, they are the latest run and all other runs that measured the same code.
    pub runs: Vec<Run>,
    /// The runs that are too old to be shown.
    pub history: Vec<Run>,
    /// The headers of runs that were marked as faulty, with the reasons. Their figures aren't
    /// used.
    pub faulty: Vec<RunHeader>,
    /// How the shown runs differ from the source tree. Empty if they match.
    pub stale: Vec<String>,
}

/// The latest run that recorded single operations of an experiment on a machine.
#[derive(Debug)]
pub struct RecordingsFile {
    /// The name of the experiment.
    pub experiment: String,
    /// The run with its recordings.
    pub run: RecordingRun,
    /// How the run differs from the source tree. Empty if they match.
    pub stale: Vec<String>,
}

impl RecordingsFile {
    pub(super) fn evidence(&self) -> Evidence {
        let recordings = self.run.recordings.iter();
        let rows = recordings.flat_map(|recording| recording.rows(&self.experiment));
        Evidence::of_found(self.run.header.clone(), rows)
    }
}
