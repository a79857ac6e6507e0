//! `cargo bench -p blocking-tasks`: the same run as `cargo run -r -p blocking-tasks`.

fn main() -> std::process::ExitCode {
    harness::bench_main(blocking_tasks::chapter())
}
