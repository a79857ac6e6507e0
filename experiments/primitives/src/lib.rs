//! Measures what the primitives of async Rust cost.
//!
//! Each library has a file in [`families`]; [`primitive`] defines what its
//! primitives have to do. Each experiment has a module that measures them.
//! The page shows the code in [`listings`].

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

/// Returns the chapter's experiments.
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
