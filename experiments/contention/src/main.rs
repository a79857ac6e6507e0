//! `cargo run -r -p contention`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    harness::main(contention::chapter())
}
