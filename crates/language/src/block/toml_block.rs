//! Parses the TOML in fenced blocks, and finds the lines of entries.

use measurement::LineError;
use regex::Regex;
use serde::de::DeserializeOwned;

use crate::line_of;

/// A mistake in a block, with its place in the block.
#[derive(Debug)]
pub struct BlockError {
    /// The place.
    pub at: Place,
    /// The mistake.
    pub message: String,
}

/// A place in a block.
#[derive(Debug)]
pub enum Place {
    /// A line, from 1. 0 is the line of the fence.
    Line(usize),
    /// An entry: the names of its table and of the entry. The table's name is empty for a key
    /// above all tables.
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
    /// Creates a mistake at a place.
    pub fn new(at: impl Into<Place>, message: impl Into<String>) -> BlockError {
        BlockError { at: at.into(), message: message.into() }
    }

    /// Returns the number of the wrong line within the block. For an entry, this is the line with
    /// `name =`, `"name" =`, `[table.name]` or `["name"]`.
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
        // A key outside all tables comes before them, so it is the first match. A key in a table
        // is the last.
        let key = if table.is_empty() { keys.first() } else { keys.last() };
        *own.last().or(key).unwrap_or(&1)
    }
}

impl From<LineError> for BlockError {
    fn from(LineError { line, message }: LineError) -> BlockError {
        BlockError::new(line, message)
    }
}

/// Adds the place in a block to an error message.
pub trait At<T> {
    /// Converts an error message to an error at `place`.
    fn at(self, place: impl Into<Place>) -> Result<T, BlockError>;
}

impl<T, M: Into<String>> At<T> for Result<T, M> {
    fn at(self, place: impl Into<Place>) -> Result<T, BlockError> {
        self.map_err(|message| BlockError::new(place, message))
    }
}

/// Returns from the function with a mistake at a place of a block.
#[macro_export]
macro_rules! wrong {
    ($at:expr, $($words:tt)+) => {
        return Err($crate::block::BlockError::new($at, format!($($words)+)))
    };
}

/// Reads TOML.
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
