//! Servers and executors of one thread per core, beside those whose workers share
//! their work.

use harness::Chapter;

mod steps;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    Chapter::new(name, package, vec![steps::experiment()])
}
