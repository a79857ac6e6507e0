//! What it costs that a task's state lies in another core's cache.
//!
//! Each module is an experiment, or two that answer one question. What the page
//! shows is in [`listings`], in a folder of the experiment's name; each file there
//! compiles alone.

use harness::Chapter;

pub mod listings;
mod sharing;

/// The chapter's experiments, in the order of its page.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![sharing::experiment()];
    Chapter::new(name, package, experiments)
}
