//! `cargo run -r -p cache-locality`: measures this chapter's experiments.
//! With the first argument `serve` or `count-moves`, the program is a server
//! instead.

use cache_locality::servers;

fn main() -> std::process::ExitCode {
    servers::main().unwrap_or_else(|| cache_locality::main(harness::main))
}
