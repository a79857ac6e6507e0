//! `cargo bench -p spawn-cost`: the same as `cargo run -r -p spawn-cost`.

fn main() -> std::process::ExitCode {
    spawn_cost::main(harness::bench_main)
}
