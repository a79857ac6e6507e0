//! `cargo bench -p unequal-tasks`: the same as `cargo run -r -p unequal-tasks`.

fn main() -> std::process::ExitCode {
    harness::bench_main(unequal_tasks::chapter())
}
