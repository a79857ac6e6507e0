//! `cargo run -r -p primitives`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(primitives::chapter())
}
