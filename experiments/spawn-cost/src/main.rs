//! `cargo run -r -p spawn-cost`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    spawn_cost::main(harness::main)
}
