//! `cargo run -r -p thread-per-core`: measures this chapter's experiments.
//! With the first argument `serve`, the program is one of the chapter's
//! servers, with `load` the load generator.

fn main() -> std::process::ExitCode {
    thread_per_core::main(harness::main)
}
