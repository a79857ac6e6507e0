//! What the primitives of async Rust cost.
//!
//! A library is a file in [`families`]; what its primitives have to do is in
//! [`primitive`]. The rest measures them, an experiment a module. What the page shows
//! is in [`listings`].

use harness::Chapter;

mod async_mutex;
mod budget;
pub mod families;
pub mod family;
mod lifo_slot;
pub mod listings;
mod operations;
pub mod primitive;
mod score;
mod suite;
mod waiters;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        suite::experiment(),
        waiters::experiment(),
        budget::experiment(),
        async_mutex::experiment(),
        lifo_slot::experiment(),
        score::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
