//! `cargo run -r -p cache-locality`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    harness::main(cache_locality::chapter())
}
