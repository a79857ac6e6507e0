//! `cargo run -r -p send-tax`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(send_tax::chapter())
}
