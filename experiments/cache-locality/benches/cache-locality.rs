//! `cargo bench -p cache-locality`: the same run as `cargo run -r -p cache-locality`.

fn main() -> std::process::ExitCode {
    cache_locality::main(harness::bench_main)
}
