//! `cargo run -r -p giving-up`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    harness::main(giving_up::chapter())
}
