//! `cargo run -r -p cache-locality`: measures this chapter's experiments here. With
//! `serve` or `count-moves` first it is one of the servers that they ask.

use cache_locality::servers;

fn main() -> std::process::ExitCode {
    servers::main().unwrap_or_else(|| cache_locality::main(harness::main))
}
