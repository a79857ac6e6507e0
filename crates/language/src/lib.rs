//! The language of a page: what it asks for by name and what it claims, read from its text and from book.toml.
//!
//! It knows no data: whether there are such rows, and what they say, the crate `findings` finds out. `LANGUAGE.md` says
//! how a page asks.

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
