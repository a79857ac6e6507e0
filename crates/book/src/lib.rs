//! Implements `cargo book`, with which readers and authors build the book and measure.
//!
//! Each command has a file: `build`, [`measure`], `claims`, [`record`], `doctor`. Only these
//! start cargo and git, describe this computer, and write to the data directory (`write_data`).
//! The crate `pages`, which renders the pages, does none of this.

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
