//! `cargo book`: the front door of the book.
//!
//! A command is a file: `build`, [`measure`], `claims`, [`record`], `doctor`. They start
//! cargo and git, ask this computer what it is, and are the only writers of the data directory (`write_data`).
//! What the pages say is the crate `pages`', which renders them and knows none of these.

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
