//! An mdBook preprocessor that binds prose to measured data.
//!
//! A page asks for rows of `data/<machine>/<chapter>.jsonl` by name, and gets charts, numbers and
//! verdicts on claims; what names no row, or a file that cannot be true, fails the build with file
//! and line. It knows no experiment: the directory `tests/fixture` holds a book of twenty lines.
//!
//! # In a page
//!
//! Directives are inline; a selector names one row as `experiment: contender, parameter=value,
//! quantity`, as much of it as it takes to be the only one:
//!
//! | directive | becomes |
//! |---|---|
//! | `{{number units: rayon, units=1000}}` | the estimate with its unit, the interval on hover |
//! | `{{ratio units: std::thread, units=1000 / rayon}}` | the paired ratio; the right side inherits what it does not name |
//! | `{{claim spawn-cost.threads}}` | the verdict on the claim, linked to it |
//! | `{{published spawning.spawn-overhead tokio::spawn}}` | a published figure, linked to the ledger |
//! | `{{parameter units: units=1000}}` | the value, if rows have it |
//! | `{{fact "512 KiB" where it is from}}` | a constant that nobody measured, with its source |
//! | `{{ledger}}` | the replication ledger |
//!
//! Fenced blocks hold TOML: [`chart`](chart::Spec) draws rows, [`claim`](claim::Spec) states a sentence
//! with a predicate.
//!
//! # In book.toml
//!
//! ```toml
//! [preprocessor.measured]
//! command = "mdbook-measured"
//! before = ["links"]          # so that errors name lines as they stand in the source
//! reference = "my-machine"    # whose data the pages show
//! ```

pub mod assets;
pub mod book;
pub mod chart;
pub mod claim;
pub mod config;
pub mod data;
pub mod doctor;
pub mod format;
mod html;
mod index;
mod ledger;
pub mod machine;
mod machines;
pub mod measure;
mod order;
mod page;
mod plot;
mod preprocessor;
pub mod prose;
pub mod published;
pub mod select;
pub mod stale;

pub use preprocessor::{Analysis, Measured, Scope};

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
