//! `cargo run -r -p thread-per-core`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    harness::main(thread_per_core::chapter())
}
