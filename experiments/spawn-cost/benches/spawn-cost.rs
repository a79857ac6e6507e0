//! `cargo bench -p spawn-cost`: the same run as `cargo run -r -p spawn-cost`.

fn main() -> std::process::ExitCode {
    harness::bench_main(spawn_cost::chapter())
}
