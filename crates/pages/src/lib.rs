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
//! reference = "my-machine"    # whose figures the pages tell
//! published = "data/published/claims.toml"    # for a ledger
//! code-url-template = "https://example.org/tree/{commit}/{path}"    # links to what was measured
//!
//! [preprocessor.measured.styles]      # the same on every page
//! "std::thread" = { colour = "#d55e00", symbol = "square" }
//! "thread pool" = { colour = "#d55e00", symbol = "diamond", line = "dotted" }
//! ```

mod analysis;
pub mod assets;
mod block;
pub mod chart;
pub mod claim;
pub mod config;
pub mod data;
pub mod driver;
pub mod figure;
mod html;
mod mistake;
mod page;
mod pattern;
mod preprocessor;
pub mod replace_file;
pub mod table;

pub use analysis::Analysis;
pub use data::DataScope;
pub(crate) use mistake::line_of;
pub use mistake::{Mistake, Mistakes};
pub use page::language::language;
pub use page::prose_rules;
pub use preprocessor::MeasuredPreprocessor;
