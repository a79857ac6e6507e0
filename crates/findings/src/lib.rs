//! The findings in a book's data: measurements of machines, the figures that follow from them,
//! and the verdicts on claims.
//!
//! This crate knows no HTML: the crate `pages` renders the findings. The crate `language` parses
//! what pages ask for.

mod analysis;
mod at_once;
pub mod claim;
pub mod data;
pub mod figure;
pub mod find;
pub mod table;

pub use analysis::{Analysis, once};
pub use at_once::at_once;
pub use data::DataScope;
