//! `cargo run -r -p contention`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(contention::chapter())
}
