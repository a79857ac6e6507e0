//! `cargo run -r -p context-switches`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(context_switches::chapter())
}
