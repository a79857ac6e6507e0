//! A run that recorded: a header and its recordings, as JSON lines.

use std::collections::HashMap;
use std::fmt::Write as _;

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
        let mut names = HashMap::new();
        for (line, json) in text.lines().enumerate().map(|(index, json)| (index + 1, json)) {
            let error = |message: String| LineError { line, message };
            if json.starts_with("{\"run\":") {
                runs.last().map_or(Ok(()), RecordingRun::is_whole).map_err(error)?;
                let header = RunHeader::parse(json).map_err(error)?;
                runs.push(RecordingRun { header, recordings: Vec::new() });
                names.clear();
                continue;
            }
            let Some(run) = runs.last_mut() else {
                return Err(error("recordings stand behind the header of their run".to_owned()));
            };
            let recording: Recording = serde_json::from_str(json)
                .map_err(|why| error(format!("not a recording: {why}")))?;
            recording.check().map_err(error)?;
            if let Some(earlier) = names.insert(recording.name(), line) {
                let name = recording.name();
                return Err(error(format!("{name:?} stands on line {earlier} already")));
            }
            run.recordings.push(recording);
        }
        let line = text.lines().count().max(1);
        let Some(last) = runs.last() else {
            let message = "the file is empty, a run begins with its header".to_owned();
            return Err(LineError { line, message });
        };
        last.is_whole().map_err(|message| LineError { line, message })?;
        Ok(runs)
    }

    fn is_whole(&self) -> Result<(), String> {
        let found = self.recordings.len();
        match self.header.rows {
            Some(expected) if expected != found => Err(format!(
                "{expected} recordings belong to the run of {}, {found} are there: the file was cut \
                 off, record again",
                self.header.run
            )),
            _ => Ok(()),
        }
    }

    /// The run as JSON lines, as [`RecordingRun::parse_all`] reads them.
    pub fn to_json_lines(&self) -> String {
        let mut text = String::new();
        let to_json = "names and finite numbers have a JSON form";
        let header = serde_json::to_string(&self.header).expect(to_json);
        let recordings = self.recordings.iter();
        let recordings =
            recordings.map(|recording| serde_json::to_string(recording).expect(to_json));
        for line in std::iter::once(header).chain(recordings) {
            writeln!(text, "{line}").expect("a string grows");
        }
        text
    }
}
