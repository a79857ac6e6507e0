//! `cargo run -r -p thread-per-core`: measures this chapter's experiments here;
//! with `serve` it starts one of the chapter's servers.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(first) if first == "serve" => {
            thread_per_core::serve::main(arguments)
        }
        _ => harness::main(thread_per_core::chapter()),
    }
}
