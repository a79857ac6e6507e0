//! Measures how long a task that doesn't yield delays the other tasks on its
//! runtime, and compares alternatives.

use std::process::ExitCode;

use harness::Chapter;

mod connection;
mod executors;
#[cfg(target_os = "linux")]
mod file_misses;
#[cfg(target_os = "linux")]
mod file_misses_rings;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod http;
mod light_load;
pub mod listings;
#[cfg(target_os = "linux")]
mod lone_job;
mod long_poll;
#[cfg(target_os = "linux")]
mod nobody_blocks;
#[cfg(target_os = "linux")]
mod quota;
#[cfg(target_os = "linux")]
mod quota_period;
mod stuck_driver;
mod timer;
#[cfg(target_os = "linux")]
mod unstable_options;

/// The `main` of the chapter's programs. Runs a server in a control group if
/// the first argument asks for one. Otherwise, calls `measure` with the
/// chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::args().nth(1).as_deref() == Some(quota::NAME) {
        return quota::main(std::env::args().skip(2));
    }
    measure(chapter())
}

/// Returns the chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        long_poll::experiment(),
        #[cfg(target_os = "linux")]
        long_poll::glommio_timer::experiment(),
        #[cfg(target_os = "linux")]
        files::experiment(),
        #[cfg(target_os = "linux")]
        file_misses::experiment(),
        #[cfg(target_os = "linux")]
        file_misses_rings::experiment(),
        light_load::experiment(),
        #[cfg(target_os = "linux")]
        lone_job::experiment(),
        #[cfg(target_os = "linux")]
        http::experiment(),
        stuck_driver::experiment(),
        #[cfg(target_os = "linux")]
        unstable_options::experiment(),
        #[cfg(target_os = "linux")]
        nobody_blocks::experiment(),
        #[cfg(target_os = "linux")]
        quota::experiment(),
        #[cfg(target_os = "linux")]
        quota_period::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
