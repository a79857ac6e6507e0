//! `cargo run -r -p thread-per-core`: measures this chapter's experiments here. With `load` first,
//! it sends load to a server.

use std::ffi::OsStr;
use std::process::ExitCode;

/// Stands before the help of the experiments.
const ALL_HELP: &str = "\
This program is two, by its first argument:

  thread-per-core load ADDRESS …   sends load to an echo server (load --help)
  thread-per-core …                measures the experiments, as follows

";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(OsStr::to_str) {
        #[cfg(target_os = "linux")]
        Some("load") => return thread_per_core::load::main(arguments),
        Some("-h" | "--help") => print!("{ALL_HELP}"),
        _ => {}
    }
    harness::main(thread_per_core::chapter())
}
