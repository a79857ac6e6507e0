//! A run that recorded: a header and its recordings, as JSON lines.

use measurement::{json_lines, LineError, RunHeader};

use crate::recording::Recording;

/// The recordings of an experiment's cells, made in one go on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordingRun {
    /// What is true of all of them. Its `rows` are these.
    pub header: RunHeader,
    /// In the order of the cells.
    pub recordings: Vec<Recording>,
}

impl RecordingRun {
    /// Reads runs that stand one behind the other, each a header and its recordings.
    ///
    /// # Errors
    ///
    /// Names the line if it is neither, if a recording cannot be true or stands twice, or if the file was
    /// cut off.
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

    /// The run as JSON lines, as [`RecordingRun::parse_all`] reads them.
    pub fn to_json_lines(&self) -> String {
        json_lines::write(&self.header, &self.recordings)
    }
}
