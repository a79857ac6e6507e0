//! The cost of io_uring with different set-ups of its ring, in runtimes and
//! without one.

use std::path::Path;
use std::process::ExitCode;

use harness::Chapter;
#[cfg(target_os = "linux")]
use thread_per_core::{load, server_process};

#[cfg(target_os = "linux")]
mod arm;
#[cfg(target_os = "linux")]
mod as_used;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod interrupts;
#[cfg(target_os = "linux")]
mod multishot;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod recordings;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod say;
#[cfg(target_os = "linux")]
mod set_up;
#[cfg(target_os = "linux")]
mod visit;

#[cfg(target_os = "linux")]
pub use arm::{arms, Arm};
#[cfg(target_os = "linux")]
pub use as_used::{
    command as command_as_used, Server as ServerAsUsed,
    SERVERS as SERVERS_AS_USED,
};
#[cfg(target_os = "linux")]
pub use process::command;

/// Returns the chapter's experiments. They run servers as processes of
/// `program`, which must call [`main`].
pub fn chapter(program: &Path) -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        #[cfg(target_os = "linux")]
        set_up::closed_loops(program),
        #[cfg(target_os = "linux")]
        set_up::rates(program),
        #[cfg(target_os = "linux")]
        calls::experiment(program),
        #[cfg(target_os = "linux")]
        as_used::experiment(program),
        #[cfg(target_os = "linux")]
        recordings::experiment(arm::as_it_comes, arm::deferred),
    ];
    Chapter::new(name, package, experiments)
}

/// The `main` of the chapter's programs. Runs a server or a load generator if
/// the first argument asks for one; otherwise calls `measure` with the
/// chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    // Servers and the load generator parse the arguments that follow the
    // first one.
    #[cfg(target_os = "linux")]
    match std::env::args_os().nth(1).as_ref().and_then(|it| it.to_str()) {
        Some("ring") => return process::main(std::env::args_os().skip(2)),
        Some(as_used::CALLED) => {
            let arguments = std::env::args_os().skip(2);
            return server_process::main(as_used::SERVERS, arguments);
        }
        Some("load") => return load::main(std::env::args_os().skip(2)),
        _ => {}
    }
    match std::env::current_exe() {
        Ok(program) => measure(chapter(&program)),
        Err(error) => {
            eprintln!("error: this program does not find itself: {error}");
            ExitCode::FAILURE
        }
    }
}
