//! How long requests wait if some take longer than others, by who may serve them: one
//! worker, or any.

use harness::Chapter;

pub mod unequal_tasks;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    Chapter::new(name, package, vec![unequal_tasks::experiment()])
}
