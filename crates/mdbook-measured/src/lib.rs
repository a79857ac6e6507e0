//! An mdBook preprocessor that binds prose to measured data.
//!
//! A page asks for rows of `data/<machine>/<chapter>/<experiment>.jsonl` by name, and gets charts, numbers and
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
//! | `{{number units: rayon, units=1000}}` | the estimate with its unit, and its interval for who asks for it |
//! | `{{number units: rayon, units=1000 - baseline}}` | the same of a difference, taken round by round; also in ratios, factors and claims |
//! | `{{ratio units: std::thread, units=1000 / rayon}}` | the paired ratio; the right side inherits what it does not name |
//! | `{{factor units: std::thread, units=1000 / rayon; multi-thread}}` | the ratio as `× 34` or `÷ 3`, or that no difference was detected; behind the `;` the noise floor, by default the widest |
//! | `{{order units: units=1000}}` | rows that differ in one thing, from the lowest figure to the highest, and which cannot be told apart; a noise floor as above |
//! | `{{claim spawn-cost.threads}}` | the verdict on the claim, linked to it |
//! | `{{published spawning.spawn-overhead tokio::spawn}}` | a published figure, linked to the ledger |
//! | `{{parameter units: units=1000}}` | the value, if rows have it |
//! | `{{fact "512 KiB" where it is from}}` | a constant that nobody measured, with its source |
//! | `{{claims}}` | all claims of the book, with their verdicts |
//! | `{{ledger}}` | the replication ledger |
//! | `{{machines}}`, `{{floors}}` | the machines, and how quiet each was |
//! | `{{runs}}` | what each machine's last run made of the earlier ones' intervals |
//!
//! Fenced blocks hold TOML. [`claim`](claim::Spec) states a sentence with a predicate.
//! [`chart`](chart::Spec) draws rows, in one of these kinds:
//!
//! | kind | draws | needs |
//! |---|---|---|
//! | `lines` | a line a series in the band of its intervals, over a parameter that is a number | `x` |
//! | `bars` | a bar a row, from zero; on a logarithmic scale a point | `x` |
//! | `distribution` | a dot a visit, and the median with its interval | `x` |
//! | `heat-map` | a field a row, by two parameters | `x`, `y` |
//! | `ladder` | a rung a row, and the factor at each step; with `against = "first"`, where the others are alternatives to the first rung, the factor to that | `rungs` |
//!
//! The title of a chart is a sentence that says what was found, with directives for its figures. Where
//! visits fall into two regimes, the title tells the larger one, prose both, a cross marks the second, and visits are drawn as faint dots.
//! Buttons offer the other scale, and where there are several machines each of them; the reader's own
//! run stands beside the reference. Under a chart fold its table, its run, its code and the command
//! that makes it again.
//!
//! A block `plot` or `plotly` is a drawing of the page's own, in mdbook-plotly's words, and what these
//! cannot say under `extra` in plotly.js's.
//!
//! # In book.toml
//!
//! ```toml
//! [preprocessor.measured]
//! command = "mdbook-measured"
//! before = ["links"]          # so that errors name lines as they stand in the source
//! reference = "my-machine"    # whose data the pages show
//! published = "data/published/claims.toml"    # for a ledger
//! code-url-template = "https://example.org/tree/{commit}/{path}"    # links to what was measured
//!
//! [preprocessor.measured.styles]      # the same on every page
//! "std::thread" = { colour = "#d55e00", symbol = "square" }
//! "thread pool" = { colour = "#d55e00", symbol = "diamond", line = "dotted" }
//! ```

pub mod assets;
pub mod book;
pub mod chart;
pub mod claim;
pub mod colour;
pub mod config;
pub mod data;
pub mod data_files;
pub mod doctor;
pub mod format;
mod html;
mod index;
mod ledger;
pub mod machine;
mod machines;
mod order;
mod page;
mod plot;
mod preprocessor;
pub mod prose;
pub mod published;
pub mod records;
pub mod select;
pub mod trials;

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
