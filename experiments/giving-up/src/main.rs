//! `cargo run -r -p giving-up` measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(giving_up::chapter())
}
