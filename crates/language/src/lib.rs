//! The language of pages: parses what a page asks of the data, and its claims, from the page's
//! text and from book.toml.
//!
//! This crate knows no data: the crate `findings` looks up the rows. `LANGUAGE.md` documents the
//! language.

pub mod block;
pub mod claim;
pub mod colour;
pub mod config;
pub mod directive;
mod language;
mod mistake;
pub mod names;
pub mod page;
mod pattern;
pub mod prose_rules;
pub mod selector;
pub mod style;
pub mod subject;

pub use language::language;
pub use mistake::{Mistake, Mistakes, line_of};
#[doc(hidden)]
pub use regex;
