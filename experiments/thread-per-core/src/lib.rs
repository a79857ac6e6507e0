//! Servers and executors with one thread per core, compared with others whose
//! workers share their work.

use std::path::Path;
use std::process::ExitCode;

use harness::Chapter;

#[cfg(target_os = "linux")]
mod advised;
mod application_protocol;
#[cfg(target_os = "linux")]
mod echo;
#[cfg(target_os = "linux")]
mod fallback;
#[cfg(target_os = "linux")]
mod http;
#[cfg(target_os = "linux")]
mod http_rings;
#[cfg(target_os = "linux")]
mod http_runtimes;
#[cfg(target_os = "linux")]
mod idle;
#[cfg(target_os = "linux")]
mod latency;
pub mod listings;
#[cfg(target_os = "linux")]
pub mod load;
#[cfg(target_os = "linux")]
pub mod observe;
#[cfg(target_os = "linux")]
mod one_client;
#[cfg(target_os = "linux")]
mod pinned;
pub mod serve;
#[cfg(target_os = "linux")]
pub mod server_process;
mod steps;
mod tied_child;

pub use application_protocol::ApplicationProtocol;

/// Printed before the help on measuring the experiments.
const ALL_HELP: &str = "\
This program is three, by its first argument:

  thread-per-core load ADDRESS ...   sends load to a server (load --help)
  thread-per-core serve NAME ...     is an echo or HTTP server (serve --help)
  thread-per-core ...                measures the experiments, as follows

";

/// Returns the chapter's experiments. They run servers and load generators as
/// processes of `program`, which must call [`main`].
pub fn chapter(program: &Path) -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let mut experiments = Vec::new();
    #[cfg(target_os = "linux")]
    experiments.extend([
        echo::experiment(program),
        echo::dealing(program),
        echo::round_trip(program),
        echo::calls(program),
        advised::experiment(program),
        one_client::experiment(program),
        idle::experiment(program),
        pinned::experiment(program),
        fallback::experiment(program),
        http::experiment(program),
        http_rings::experiment(program),
        http_runtimes::experiment(program),
        latency::experiment(program),
        latency::equal_rates(program),
    ]);
    experiments.push(steps::experiment());
    Chapter::new(name, package, experiments)
}

/// The `main` of the chapter's programs. Runs a server or the load generator
/// if the first argument asks for one; otherwise calls `measure` with the
/// chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    // Servers and the load generator parse the arguments that follow the
    // first one.
    let mut arguments = std::env::args_os().skip(1).peekable();
    match arguments.peek().and_then(|first| first.to_str()) {
        #[cfg(target_os = "linux")]
        Some("load") => return load::main(arguments.skip(1)),
        Some("serve") => return serve::main(arguments.skip(1)),
        #[cfg(target_os = "linux")]
        Some(advised::CALLED) => {
            return server_process::main(advised::ALL, arguments.skip(1))
        }
        #[cfg(target_os = "linux")]
        Some(http_rings::CALLED) => {
            let servers = http_rings::SERVERS;
            return server_process::main(servers, arguments.skip(1));
        }
        Some("-h" | "--help") => host::say!("{}\n", ALL_HELP.trim_end()),
        _ => {}
    }
    match std::env::current_exe() {
        Ok(program) => measure(chapter(&program)),
        Err(error) => {
            host::tell!("error: this program does not find itself: {error}");
            ExitCode::FAILURE
        }
    }
}
