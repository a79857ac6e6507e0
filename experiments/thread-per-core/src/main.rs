//! `cargo run -r -p thread-per-core`: measures this chapter's experiments. If
//! the first argument is `serve`, runs one of the chapter's servers; if it is
//! `load`, runs the load generator.

fn main() -> std::process::ExitCode {
    thread_per_core::main(harness::main)
}
