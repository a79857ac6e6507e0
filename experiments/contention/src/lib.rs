//! What happens when several cores want one lock, one `Arc` or one channel.
//!
//! What the chapter shows is in [`listings`]; the rest measures it, an experiment a
//! module.

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

/// The chapter's experiments.
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
