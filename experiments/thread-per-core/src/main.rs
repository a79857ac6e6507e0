//! `cargo run -r -p thread-per-core`: measures this chapter's experiments here. With `load` first,
//! it sends load to a server.

use std::process::ExitCode;

/// Stands before the help of the experiments.
const ALL_HELP: &str = "\
This program is three, by its first argument:

  thread-per-core load ADDRESS …   sends load to an echo server (load --help)
  thread-per-core serve NAME …     is an echo server (serve --help)
  thread-per-core …                measures the experiments, as follows

";

fn main() -> ExitCode {
    // What follows the name of a program is its own command line.
    let mut arguments = std::env::args_os().skip(1).peekable();
    match arguments.peek().and_then(|first| first.to_str()) {
        #[cfg(target_os = "linux")]
        Some("load") => return thread_per_core::load::main(arguments),
        Some("-h" | "--help") => print!("{ALL_HELP}"),
        _ => {}
    }
    harness::main(thread_per_core::chapter())
}
