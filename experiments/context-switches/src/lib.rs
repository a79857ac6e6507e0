//! What it costs to switch from one unit of concurrency to the next.
//!
//! Each contender is a file of its own, which the chapter shows.

use harness::Chapter;

#[cfg(unix)]
pub mod brigade;
pub mod switch;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    harness::raise_file_limit();
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        #[cfg(unix)]
        brigade::experiment(),
        switch::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
