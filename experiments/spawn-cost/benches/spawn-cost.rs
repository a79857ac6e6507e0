//! `cargo bench -p spawn-cost`: the same run as `cargo run -r -p spawn-cost`.

fn main() -> std::process::ExitCode {
    spawn_cost::main(harness::bench_main)
}
