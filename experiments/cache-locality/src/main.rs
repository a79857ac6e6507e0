//! `cargo run -r -p cache-locality`: measures this chapter's experiments here. With
//! `serve` or `count-moves` first it is one of the servers that they ask.

fn main() -> std::process::ExitCode {
    cache_locality::main(harness::main)
}
