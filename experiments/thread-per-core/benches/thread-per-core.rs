//! `cargo bench -p thread-per-core`: the same as `cargo run -r -p
//! thread-per-core`.

fn main() -> std::process::ExitCode {
    thread_per_core::main(harness::bench_main)
}
