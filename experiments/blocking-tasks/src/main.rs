//! `cargo run -r -p blocking-tasks`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    blocking_tasks::main(harness::main)
}
