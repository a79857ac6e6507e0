//! `cargo run -r -p blocking-tasks`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    blocking_tasks::main(harness::main)
}
