//! Parses pages, including their directives and claims. Also parses the settings in book.toml.
//!
//! This crate doesn't read data; the crate `findings` looks up the rows that pages ask for.
//! `LANGUAGE.md` documents the language for authors.

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
