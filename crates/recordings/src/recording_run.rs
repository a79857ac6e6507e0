//! A run that recorded: a header and its recordings, as JSON lines.

use std::collections::HashMap;

use measurement::{LineError, RunHeader};

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
        let mut runs: Vec<RecordingRun> = Vec::new();
        let mut lines = HashMap::new();
        for (line, json) in (1..).zip(text.lines()) {
            let error = |message| LineError { line, message };
            if json.starts_with("{\"run\":") {
                runs.last().map_or(Ok(()), RecordingRun::is_whole).map_err(error)?;
                let header = RunHeader::parse(json).map_err(error)?;
                runs.push(RecordingRun { header, recordings: Vec::new() });
                lines.clear();
                continue;
            }
            let no_header =
                || LineError::new(line, "recordings stand behind the header of their run");
            let run = runs.last_mut().ok_or_else(no_header)?;
            let recording: Recording = serde_json::from_str(json)
                .map_err(|why| error(format!("not a recording: {why}")))?;
            recording.check().map_err(error)?;
            if let Some(earlier) = lines.insert(recording.name(), line) {
                let name = recording.name();
                return Err(error(format!("{name:?} stands on line {earlier} already")));
            }
            run.recordings.push(recording);
        }
        let last = runs.last().map_or_else(
            || Err("the file is empty, a run begins with its header".to_owned()),
            RecordingRun::is_whole,
        );
        let line = text.lines().count().max(1);
        last.map_err(|message| LineError { line, message }).map(|()| runs)
    }

    fn is_whole(&self) -> Result<(), String> {
        let (run, found) = (&self.header.run, self.recordings.len());
        let expected = self.header.rows.unwrap_or(found);
        if expected == found {
            return Ok(());
        }
        Err(format!(
            "{expected} recordings belong to the run of {run}, {found} are there: the file was cut \
             off, record again"
        ))
    }

    /// The run as JSON lines, as [`RecordingRun::parse_all`] reads them.
    pub fn to_json_lines(&self) -> String {
        let to_json = "names and finite numbers have a JSON form";
        let header = serde_json::to_string(&self.header).expect(to_json);
        let lines = self.recordings.iter().map(|of| serde_json::to_string(of).expect(to_json));
        [header].into_iter().chain(lines).map(|line| line + "\n").collect()
    }
}
