//! Measures the cost of fetching a task's state from another core's cache.
//!
//! Each experiment is a module of the same name. The code on the page is in
//! [`listings`]; each file there compiles alone.

use std::path::Path;
use std::process::ExitCode;

use harness::Chapter;

mod accumulation;
mod bounce;
mod cache_sizes;
#[cfg(target_os = "linux")]
mod counting_server;
mod ladder;
mod levels;
pub mod listings;
#[cfg(target_os = "linux")]
mod load_shape;
mod r#move;
mod moved_lines;
mod moved_state;
#[cfg(target_os = "linux")]
mod moves_per_message;
mod pages;
#[cfg(target_os = "linux")]
mod pinned_against_stealing;
mod places;
#[cfg(target_os = "linux")]
pub mod references;
#[cfg(target_os = "linux")]
mod runtime_metrics;
#[cfg(target_os = "linux")]
mod server_visit;
pub mod servers;
mod sharing;
mod time_stamped;
mod touch;

/// Returns the chapter's experiments, in the order of its page. Some of them
/// start `program` as a server, so it must call [`servers::main`] first.
pub fn chapter(program: &Path) -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let mut experiments = vec![
        ladder::experiment(),
        cache_sizes::experiment(),
        r#move::experiment(),
        moved_lines::experiment(),
        sharing::experiment(),
        bounce::experiment(),
        accumulation::experiment(),
        places::experiment(),
    ];
    // These experiments start the program as a server, so they need its path.
    #[cfg(target_os = "linux")]
    experiments.extend(
        [
            moves_per_message::experiment(),
            runtime_metrics::experiment(),
            references::experiment(),
            pinned_against_stealing::experiment(),
        ]
        .map(|of_program| of_program(program)),
    );
    Chapter::new(name, package, experiments)
}

/// The `main` of the chapter's programs: calls `measure` with the chapter.
/// Call it only if [`servers::main`] has returned `None`.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    match std::env::current_exe() {
        Ok(program) => measure(chapter(&program)),
        Err(error) => {
            eprintln!("error: this program does not find itself: {error}");
            ExitCode::FAILURE
        }
    }
}
