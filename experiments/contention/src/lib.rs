//! Measures what it costs when several cores want the same lock, `Arc` or
//! channel.
//!
//! The code on the page is in [`listings`]; every other module measures one
//! experiment.

use harness::Chapter;

pub mod channels;
pub mod contended;
pub mod listings;
pub mod locks;
mod locks_with_work;
pub mod ordering;
mod read_mostly;
pub mod readers;
mod sharding;
mod shared_maps;
pub mod shared_state;
mod threads;

/// Returns the chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        locks::experiment(),
        contended::experiment(),
        shared_state::experiment(),
        readers::experiment(),
        channels::experiment(),
        ordering::experiment(),
        sharding::experiment(),
        locks_with_work::experiment(),
        read_mostly::experiment(),
        shared_maps::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
