//! `cargo bench -p thread-per-core`: the same run as `cargo run -r -p thread-per-core`.

fn main() -> std::process::ExitCode {
    harness::bench_main(thread_per_core::chapter())
}
