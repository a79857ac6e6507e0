//! `cargo bench -p contention`: the same as `cargo run -r -p contention`.

fn main() -> std::process::ExitCode {
    harness::bench_main(contention::chapter())
}
