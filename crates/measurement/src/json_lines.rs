//! Reads and writes runs as JSON lines: a header line, then one line per finding.

use std::collections::HashMap;

use serde::Serialize;

use crate::run_header::RunHeader;
use crate::LineError;

/// Reads consecutive runs. `read` parses a line, and returns the finding and its name. `said`
/// holds two phrases for error messages: what the findings are called, such as "rows", and how to
/// obtain them.
///
/// # Errors
///
/// Fails, with the line number, if a line cannot be read, if a name occurs twice in a run, or if
/// the file was cut off.
pub fn parse<T>(
    text: &str,
    said: [&str; 2],
    read: impl Fn(&RunHeader, &str) -> Result<(String, T), String>,
) -> Result<Vec<(RunHeader, Vec<T>)>, LineError> {
    let mut runs: Vec<(RunHeader, Vec<T>)> = Vec::new();
    let mut begun = Vec::new();
    let mut seen = HashMap::new();
    for (line, json) in (1..).zip(text.lines()) {
        let error = |message: String| LineError { line, message };
        match runs.last_mut() {
            Some((header, all)) if !begins_run(json) => {
                let (name, found) = read(header, json).map_err(error)?;
                let again = format!("{name:?} stands on line ");
                if let Some(earlier) = seen.insert(name, line) {
                    return Err(error(format!("{again}{earlier} already")));
                }
                all.push(found);
            }
            None if !begins_run(json) => {
                let message = "a run begins with its header, {\"run\": and so on, and this line is none: take the file as \
                               a whole from where it was measured, or measure again";
                return Err(error(message.to_owned()));
            }
            _ => {
                runs.push((RunHeader::parse(json).map_err(error)?, Vec::new()));
                begun.push(line);
                seen.clear();
            }
        }
    }
    if runs.is_empty() {
        return Err(LineError::new(1, "the file is empty, a run begins with its header"));
    }
    for ((header, all), line) in runs.iter().zip(begun) {
        let ([what, again], found) = (said, all.len());
        let expected = header.rows.unwrap_or(found.max(1));
        if found != expected {
            let message = format!(
                "{expected} {what} belong to this header, {found} are there: the file was cut off, \
                 {again} again"
            );
            return Err(LineError { line, message });
        }
    }
    Ok(runs)
}

/// Writes a run in the format that [`parse`] reads.
pub fn write(header: &RunHeader, found: &[impl Serialize]) -> String {
    let to_json = "names and finite numbers have a JSON form";
    let header = serde_json::to_string(header).expect(to_json);
    let found = found.iter().map(|found| serde_json::to_string(found).expect(to_json));
    [header].into_iter().chain(found).map(|line| line + "\n").collect()
}

/// Returns whether a line looks like the header of a run. The first field of a header is `run`.
fn begins_run(json: &str) -> bool {
    let fields = json.trim_start().strip_prefix('{');
    fields.is_some_and(|fields| fields.trim_start().starts_with("\"run\""))
}
