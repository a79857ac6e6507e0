//! `cargo run -r -p memory` measures this chapter's experiments. With the
//! first argument `limits`, the program reports the limits on the number of
//! threads, tasks and sockets.

fn main() -> std::process::ExitCode {
    memory::main(harness::main)
}
