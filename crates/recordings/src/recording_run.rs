//! A run in which operations were recorded: a header and recordings, stored as JSON lines.

use measurement::{json_lines, LineError, RunHeader};

use crate::recording::Recording;

/// The recordings of one experiment, made in one session on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordingRun {
    /// The header of the run. Its field `rows` is the number of recordings.
    pub header: RunHeader,
    /// The recordings, in the order in which the experiment lists them.
    pub recordings: Vec<Recording>,
}

impl RecordingRun {
    /// Reads consecutive runs, each a header and its recordings.
    ///
    /// # Errors
    ///
    /// Fails if a line is neither a header nor a recording, if a recording is impossible or a
    /// duplicate, or if the file was cut off. The error has the line number.
    pub fn parse_all(text: &str) -> Result<Vec<RecordingRun>, LineError> {
        let recording = |_: &RunHeader, line: &str| {
            let recording: Recording =
                serde_json::from_str(line).map_err(|why| format!("not a recording: {why}"))?;
            recording.check()?;
            Ok((recording.name(), recording))
        };
        let runs = json_lines::parse(text, ["recordings", "record"], recording)?;
        Ok(runs
            .into_iter()
            .map(|(header, recordings)| RecordingRun { header, recordings })
            .collect())
    }

    /// Writes the run as JSON lines that [`RecordingRun::parse_all`] can read.
    pub fn to_json_lines(&self) -> String {
        json_lines::write(&self.header, &self.recordings)
    }
}
