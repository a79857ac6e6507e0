//! `cargo run -r -p real-service` measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    real_service::main(harness::main)
}
