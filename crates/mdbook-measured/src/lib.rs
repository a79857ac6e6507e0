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

mod agreement;
pub mod assets;
mod calculator;
pub mod chart;
pub mod claim;
mod claim_card;
mod claim_family;
mod claim_index;
pub mod claim_records;
pub mod colour;
pub mod config;
mod costs;
pub mod data;
pub mod data_paths;
mod directive;
mod drawing;
pub mod driver;
pub mod figure;
pub mod figure_names;
mod figure_table;
mod html;
mod language_md;
mod least_visit;
mod ledger;
mod machines_table;
mod mistake;
pub mod number_format;
mod page;
mod plot;
mod predict;
mod preprocessor;
mod processors;
pub mod prose_rules;
pub mod published;
mod read_data;
pub mod recordings_file;
mod render_context;
mod render_page;
pub mod replace_file;
mod rich_text;
mod row_order;
pub mod runs_file;
mod scene;
pub mod selector;
pub mod style;
mod toml_block;
pub mod trials;

pub use language_md::language;
pub(crate) use mistake::line_of;
pub use mistake::{Mistake, Mistakes};
pub use preprocessor::{Analysis, MeasuredPreprocessor};
pub use read_data::DataScope;
