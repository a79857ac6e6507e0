//! `cargo book`: the command line of the book.
//!
//! Each command has a file: `build`, [`measure`], `claims`, [`record`], `doctor`. Only these
//! start cargo and git, describe this computer, and write the data directory (`write_data`). The
//! crate `pages`, which renders the pages, does none of this.

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
