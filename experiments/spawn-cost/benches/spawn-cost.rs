//! `cargo bench -p spawn-cost` measures this chapter's experiments, exactly
//! like `cargo run -r -p spawn-cost`.

fn main() -> std::process::ExitCode {
    spawn_cost::main(harness::bench_main)
}
