//! `cargo bench -p blocking-tasks`: the same as `cargo run -r -p
//! blocking-tasks`.

fn main() -> std::process::ExitCode {
    blocking_tasks::main(harness::bench_main)
}
