//! An mdBook preprocessor that binds prose to measured data.
//!
//! A page asks for rows of `data/<machine>/<chapter>/<experiment>.jsonl` by name, and gets charts, numbers and
//! verdicts on claims; what names no row, or a file that cannot be true, fails the build with file
//! and line. It knows no experiment: the directory `tests/fixture` holds a book of twenty lines.
//!
//! What a page may ask for and how is `language`'s, what the data say is `findings`'; this crate puts the two into words,
//! tables and pictures.
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
