//! What it costs that a task's state lies in another core's cache.
//!
//! Each module is an experiment, or two that answer one question. What the page
//! shows is in [`listings`], in a folder of the experiment's name; each file there
//! compiles alone.

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
mod moved_state;
#[cfg(target_os = "linux")]
mod moves_per_message;
mod pages;
#[cfg(target_os = "linux")]
mod pinned_against_stealing;
#[cfg(target_os = "linux")]
pub mod references;
#[cfg(target_os = "linux")]
mod server_visit;
mod sharing;
mod time_stamped;
mod touch;

/// The chapter's experiments, in the order of its page. Servers are processes of
/// `program`, which calls [`main`] itself.
pub fn chapter(program: &Path) -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let mut experiments = vec![
        ladder::experiment(),
        cache_sizes::experiment(),
        moved_state::of_a_state(),
        moved_state::of_lines(),
        sharing::experiment(),
        bounce::experiment(),
        accumulation::experiment(),
    ];
    #[cfg(target_os = "linux")]
    experiments.extend([
        moves_per_message::experiment(program),
        references::experiment(program),
        pinned_against_stealing::experiment(program),
    ]);
    Chapter::new(name, package, experiments)
}

/// The `main` of the chapter's programs: a server, if the first argument asks for
/// one, else what `measure` makes of the chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    // What follows the name of a server is its own command line.
    #[cfg(target_os = "linux")]
    {
        let mut arguments = std::env::args_os().skip(1);
        match arguments.next().as_deref().and_then(|first| first.to_str()) {
            Some("serve") => return thread_per_core::serve::main(arguments),
            Some(counting_server::COMMAND) => {
                return counting_server::main(arguments);
            }
            _ => {}
        }
    }
    match std::env::current_exe() {
        Ok(program) => measure(chapter(&program)),
        Err(error) => {
            eprintln!("error: this program does not find itself: {error}");
            ExitCode::FAILURE
        }
    }
}
