//! What it costs that a task may move between threads, and whether it matters.
//!
//! What the chapter shows is in [`listings`]; the rest measures it, an experiment a
//! module.

use harness::Chapter;

pub mod listings;
pub mod maps;
pub mod request;
pub mod share_of_request;
pub mod types;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        types::experiment(),
        maps::experiment(),
        request::experiment(),
        share_of_request::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
