//! `cargo bench -p cache-locality`: the same as `cargo run -r -p
//! cache-locality`.

use cache_locality::servers;

fn main() -> std::process::ExitCode {
    servers::main().unwrap_or_else(|| cache_locality::main(harness::bench_main))
}
