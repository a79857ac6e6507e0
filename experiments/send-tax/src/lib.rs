//! What it costs that a task may move between threads, and whether it matters.
//!
//! Each contender is a file of its own, which the chapter shows.

use harness::Chapter;

pub mod contended;
pub mod maps;
pub mod types;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments =
        vec![types::experiment(), maps::experiment(), contended::experiment()];
    let measures = [
        "compio",
        "dashmap",
        "foldhash",
        "glommio",
        "monoio",
        "parking_lot",
        "smol",
        "tokio",
    ];
    Chapter::new(name, package, &measures, experiments)
}
