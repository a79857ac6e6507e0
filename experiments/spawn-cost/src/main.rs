//! `cargo run -r -p spawn-cost` measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    spawn_cost::main(harness::main)
}
