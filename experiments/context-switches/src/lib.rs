//! The cost of switching from one thread or task to the next.
//!
//! The code on the page is in [`listings`]; every other module measures one
//! experiment.

use harness::Chapter;

pub mod across;
#[cfg(unix)]
pub mod brigade;
#[cfg(unix)]
mod brigade_memory;
#[cfg(unix)]
mod brigade_rings;
mod idle;
#[cfg(unix)]
mod idle_lines;
pub mod listings;
#[cfg(unix)]
mod long_line;
#[cfg(target_os = "linux")]
mod recordings;
pub mod switch;
mod thread_pair;

/// Returns the chapter's experiments.
pub fn chapter() -> Chapter {
    harness::raise_file_limit();
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        #[cfg(unix)]
        brigade::experiment(),
        #[cfg(unix)]
        brigade_rings::experiment(),
        switch::experiment(),
        #[cfg(target_os = "linux")]
        recordings::experiment(),
        across::experiment(),
        idle::experiment(),
        #[cfg(unix)]
        idle_lines::experiment(),
        #[cfg(unix)]
        long_line::experiment(),
        #[cfg(unix)]
        brigade_memory::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
