//! `cargo bench -p cache-locality`: the same run as `cargo run -r -p cache-locality`.

fn main() -> std::process::ExitCode {
    harness::bench_main(cache_locality::chapter())
}
