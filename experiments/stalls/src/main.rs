//! `cargo run -r -p stalls` measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(stalls::chapter())
}
