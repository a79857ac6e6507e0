//! What the primitives of async Rust cost.
//!
//! A library is a file in [`families`]; what its primitives have to do is in
//! [`primitive`]. The rest measures them, an experiment a module.

use harness::Chapter;

mod async_mutex;
pub mod families;
pub mod family;
mod operations;
pub mod primitive;
mod suite;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![suite::experiment(), async_mutex::experiment()];
    Chapter::new(name, package, experiments)
}
