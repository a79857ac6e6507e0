//! `cargo run -r -p rings`: measures this chapter's experiments here. With `ring` first
//! it is one of the chapter's servers.

fn main() -> std::process::ExitCode {
    rings::main(harness::main)
}
