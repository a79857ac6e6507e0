//! An mdBook preprocessor that binds prose to measured data.
//!
//! A page asks for rows of `data/<machine>/<chapter>/<experiment>.jsonl` by name, and gets
//! charts, numbers and verdicts on claims. A name without a row, or an impossible file, fails the
//! build with file and line. The preprocessor knows no experiments; `tests/fixture` is an example
//! book of twenty lines.
//!
//! The crate `language` defines what a page can ask for, `findings` evaluates the data, and this
//! crate turns both into words, tables and pictures.
//!
//! # In book.toml
//!
//! ```toml
//! [preprocessor.measured]
//! command = "mdbook-measured"
//! before = ["links"]          # so that errors name lines of the source
//! reference = "my-machine"    # the machine whose figures the pages show
//! published = "data/published/claims.toml"    # for a ledger
//! code-url-template = "https://example.org/tree/{commit}/{path}"    # links to the measured code
//!
//! [preprocessor.measured.styles]      # the same on every page
//! "std::thread" = { colour = "vermilion", symbol = "square" }
//! "thread pool" = { colour = "vermilion", symbol = "diamond", line = "dotted" }
//! ```

pub mod assets;
mod block;
pub mod chart;
mod claim;
mod directive;
mod drawing;
pub mod driver;
mod html;
mod machines;
mod on_page;
mod preprocessor;
mod render;
pub mod replace_file;
mod rich_text;
mod table;
mod title;

pub use preprocessor::MeasuredPreprocessor;
pub use render::in_letters;
