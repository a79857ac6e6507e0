//! Parses the TOML in fenced blocks, and finds the lines of entries in it.

use measurement::LineError;
use regex::Regex;
use serde::de::DeserializeOwned;

use crate::line_of;

/// A mistake in a fenced block, with its place.
#[derive(Debug)]
pub struct BlockError {
    /// The place of the error within the block.
    pub at: Place,
    /// The message, which says what is wrong.
    pub message: String,
}

/// A place in a fenced block.
#[derive(Debug)]
pub enum Place {
    /// A line within the block, counted from 1. 0 is the opening fence.
    Line(usize),
    /// An entry, given by the name of its table and its own name. The table's name is empty for a
    /// top-level key.
    Entry(&'static str, String),
}

impl From<usize> for Place {
    fn from(line: usize) -> Place {
        Place::Line(line)
    }
}

impl From<&str> for Place {
    fn from(key: &str) -> Place {
        Place::Entry("", key.to_owned())
    }
}

impl From<(&'static str, &String)> for Place {
    fn from((table, name): (&'static str, &String)) -> Place {
        Place::Entry(table, name.clone())
    }
}

impl BlockError {
    /// Creates an error message with its place in the block.
    pub fn new(at: impl Into<Place>, message: impl Into<String>) -> BlockError {
        BlockError { at: at.into(), message: message.into() }
    }

    /// Returns the number of the wrong line within the block. If the place is an entry, this is
    /// its line with `name =`, `"name" =`, `[table.name]` or `["name"]`.
    pub fn line_in(&self, block: &str) -> usize {
        let (table, name) = match &self.at {
            Place::Line(line) => return *line,
            Place::Entry(table, name) => (table, name),
        };
        let [plain, quoted] = [name, &format!("{name:?}")].map(|name| regex::escape(name));
        let name = format!("(?:{plain}|{quoted})");
        let lines = |entry: String| {
            let entry = Regex::new(&format!(r"(?m)^[ \t]*{entry}")).expect("names are escaped");
            entry.find_iter(block).map(|found| line_of(block, found.start())).collect::<Vec<_>>()
        };
        let own = lines(format!(r"\[(?:{table}\.)?{name}\]"));
        let keys = lines(format!(r"{name}[ \t]*="));
        // Takes the first match for a key outside of tables, because such keys come first in
        // TOML, and the last match for a key in a table.
        let key = if table.is_empty() { keys.first() } else { keys.last() };
        *own.last().or(key).unwrap_or(&1)
    }
}

impl From<LineError> for BlockError {
    fn from(LineError { line, message }: LineError) -> BlockError {
        BlockError::new(line, message)
    }
}

/// Turns an error message into a [`BlockError`].
pub trait At<T> {
    /// Adds `place` to the error message, if there is an error.
    fn at(self, place: impl Into<Place>) -> Result<T, BlockError>;
}

impl<T, M: Into<String>> At<T> for Result<T, M> {
    fn at(self, place: impl Into<Place>) -> Result<T, BlockError> {
        self.map_err(|message| BlockError::new(place, message))
    }
}

/// Returns from the enclosing function with an error at a place in a block.
#[macro_export]
macro_rules! wrong {
    ($at:expr, $($words:tt)+) => {
        return Err($crate::block::BlockError::new($at, format!($($words)+)))
    };
}

/// Parses TOML. An error gives the line number of the mistake.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, LineError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        LineError::new(line_of(text, offset), error.message())
    })
}

/// Checks the id of a claim or a chart, which consists of two names joined by a dot.
pub fn check_id(id: &str) -> Result<(), String> {
    let is_name = |part: &str| measurement::name_check::check_slug("id", part).is_ok();
    match id.split('.').collect::<Vec<_>>()[..] {
        [chapter, name] if is_name(chapter) && is_name(name) => Ok(()),
        _ => Err(format!("{id:?} is no id: write it as \"spawn-cost.threads\"")),
    }
}
