//! What it costs to create a unit of concurrency, run it and collect its
//! result.
//!
//! Each contender is a file of its own, which the chapter shows.

use harness::Chapter;

pub mod rayon;
pub mod std_thread;
pub mod tokio_as_published;
pub mod tokio_multi_thread;
mod units;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    Chapter::new(name, package, &["rayon", "tokio"], vec![units::experiment()])
}
