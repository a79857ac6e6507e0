//! TOML in a fenced block: what it says, and on which line.

use measurement::LineError;
use serde::de::DeserializeOwned;

use crate::line_of;

/// What is wrong with a block, and under which key.
#[derive(Debug)]
pub(crate) struct KeyError {
    pub(crate) key: &'static str,
    pub(crate) message: String,
}

impl KeyError {
    pub(crate) fn new(key: &'static str, message: impl Into<String>) -> KeyError {
        KeyError { key, message: message.into() }
    }

    /// The same with the line of the key within its block.
    pub(crate) fn on_line_of(self, block: &str) -> LineError {
        LineError::new(line_of_key(block, self.key), self.message)
    }
}

/// Says on which line of its text something is wrong.
pub(crate) trait At<T> {
    fn at(self, line: usize) -> Result<T, LineError>;
}

impl<T, M: Into<String>> At<T> for Result<T, M> {
    fn at(self, line: usize) -> Result<T, LineError> {
        self.map_err(|message| LineError::new(line, message))
    }
}

/// Reads TOML.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, LineError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        LineError::new(line_of(text, offset), error.message())
    })
}

/// The first of these lines within a block, from 1.
fn line_where(block: &str, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    block.lines().position(|line| is_it(line.trim())).map(|index| index + 1)
}

/// The line of a key within a block, from 1.
pub(crate) fn line_of_key(block: &str, key: &str) -> usize {
    let is_key =
        |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    line_where(block, is_key).unwrap_or(1)
}

/// The line of an entry of a table within a block, from 1: `name =`, `"name" =` or `[table.name]`.
pub(crate) fn line_of_entry(block: &str, table: &str, name: &str) -> usize {
    let head = line_where(block, |line| line == format!("[{table}.{name}]"));
    let key = || line_of_key(block, &format!("{name:?}")).max(line_of_key(block, name));
    head.unwrap_or_else(key)
}

/// The line of a table's head within a block, from 1: `["name"]`.
pub(crate) fn line_of_head(block: &str, name: &str) -> usize {
    line_where(block, |line| line == format!("[{name:?}]")).unwrap_or(1)
}

/// Checks the id of a claim or a chart: two names and a dot.
pub(crate) fn check_id(id: &str) -> Result<(), String> {
    let is_name = |part: &str| measurement::name_check::check_slug("id", part).is_ok();
    match id.split('.').collect::<Vec<_>>()[..] {
        [chapter, name] if is_name(chapter) && is_name(name) => Ok(()),
        _ => Err(format!("{id:?} is no id: write it as \"spawn-cost.threads\"")),
    }
}
