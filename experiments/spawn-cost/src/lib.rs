//! The cost of creating a thread, task or job, running it and collecting its
//! result.
//!
//! The book's page shows the code in [`listings`]; the other modules measure
//! it, one per experiment.

use std::path::Path;
use std::process::ExitCode;

use harness::Chapter;

pub mod batching;
mod busy;
pub mod cpu_bound;
mod freed_memory;
pub mod handler;
mod idle;
#[cfg(not(feature = "async-std"))]
mod left_out;
pub mod life_cycle;
pub mod listings;
mod pools;
#[cfg(target_os = "linux")]
mod recordings;
pub mod task_benches;
pub mod thread_parts;
pub mod units;
pub mod waiting;
#[cfg(unix)]
mod within_a_task;
pub mod work_per_unit;

/// The `main` of the chapter's programs. If the first argument is `threads`,
/// it only times threads, in this otherwise empty process; if not, it calls
/// `measure` with the chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(thread_parts::NAME) {
        return thread_parts::main();
    }
    match std::env::current_exe() {
        Ok(program) => measure(chapter(&program)),
        Err(error) => {
            eprintln!("error: this program does not find itself: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the chapter's experiments. The experiment `thread-parts` starts
/// `program`, an executable that calls [`main`], as a process that only times
/// threads.
pub fn chapter(program: &Path) -> Chapter {
    freed_memory::keep();
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        units::experiment(),
        waiting::experiment(),
        cpu_bound::experiment(),
        work_per_unit::experiment(),
        batching::experiment(),
        handler::experiment(),
        thread_parts::experiment(program),
        task_benches::experiment(),
        life_cycle::experiment(),
        idle::experiment(),
        #[cfg(unix)]
        within_a_task::experiment(),
        #[cfg(target_os = "linux")]
        recordings::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
