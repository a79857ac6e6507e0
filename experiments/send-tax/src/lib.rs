//! Measures the cost of allowing tasks to move between threads, and whether
//! that cost matters in a request.
//!
//! The code on the page is in [`listings`]; every other module measures one
//! experiment.

use harness::Chapter;

pub mod listings;
pub mod maps;
pub mod request;
pub mod share_of_request;
pub mod types;

/// Returns the chapter's experiments.
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
