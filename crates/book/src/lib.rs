//! `cargo book`: the command line of the book.
//!
//! Each command is a file: `build`, [`measure`], `claims`, [`record`], `doctor`. They start cargo
//! and git, describe this computer, and are the only writers of the data directory (`write_data`).
//! The pages are rendered by the crate `pages`, which does none of that.

mod build;
mod claims;
pub mod cli;
mod doctor;
pub mod measure;
pub mod record;
mod same_machine;
mod stale_warnings;
mod terminal;
mod write_data;
