//! `cargo run -r -p unequal-tasks`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(unequal_tasks::chapter())
}
