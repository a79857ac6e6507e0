//! An mdBook preprocessor that binds prose to measured data.
//!
//! A page asks for rows of `data/<machine>/<chapter>/<experiment>.jsonl` by name, and gets charts, numbers and
//! verdicts on claims; what names no row, or a file that cannot be true, fails the build with file
//! and line. It knows no experiment: the directory `tests/fixture` holds a book of twenty lines.
//!
//! `LANGUAGE.md` says how a page asks.
//!
//! # In book.toml
//!
//! ```toml
//! [preprocessor.measured]
//! command = "mdbook-measured"
//! before = ["links"]          # so that errors name lines as they stand in the source
//! reference = "my-machine"    # whose figures the pages tell; by default each experiment has its own
//! published = "data/published/claims.toml"    # for a ledger
//! code-url-template = "https://example.org/tree/{commit}/{path}"    # links to what was measured
//!
//! [preprocessor.measured.styles]      # the same on every page
//! "std::thread" = { colour = "#d55e00", symbol = "square" }
//! "thread pool" = { colour = "#d55e00", symbol = "diamond", line = "dotted" }
//! ```

pub mod assets;
mod block;
pub mod book;
mod card;
pub mod chart;
pub mod claim;
pub mod colour;
pub mod config;
mod context;
pub mod data;
pub mod data_files;
mod directive;
mod family;
pub mod figure;
pub mod format;
mod html;
mod index;
mod language;
mod ledger;
mod machines;
pub mod names;
mod one_run;
mod order;
mod page;
mod plot;
mod preprocessor;
pub mod prose;
pub mod published;
pub mod records;
mod render;
mod scene;
mod scope;
pub mod select;
pub mod style;
mod table;
mod text;
pub mod trials;

pub use language::language;
pub use preprocessor::{Analysis, Measured};
pub use scope::Scope;

/// What is wrong, where: `src/spawn-cost.md:41: ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Mistake {
    /// The file, relative to the book's root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, what was expected, what to do.
    pub message: String,
}

/// The line, from 1, on which a byte of a text stands.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// All that is wrong with a book: a build reports everything it finds at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mistakes(pub Vec<Mistake>);

impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut mistakes: Vec<&Mistake> = self.0.iter().collect();
        mistakes.sort_by_key(|mistake| (&mistake.file, mistake.line));
        for (index, mistake) in mistakes.into_iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}
