//! `cargo run -r -p rings`: measures this chapter's experiments. With the
//! first argument `ring`, the program is one of the chapter's servers.

fn main() -> std::process::ExitCode {
    rings::main(harness::main)
}
