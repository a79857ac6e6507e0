//! Evaluates the data of a book: combines the runs of each machine, computes the figures that
//! pages ask for, and judges claims.
//!
//! This crate knows no HTML; the crate `pages` renders what it finds. The crate `language` parses
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
