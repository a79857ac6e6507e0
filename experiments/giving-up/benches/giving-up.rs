//! `cargo bench -p giving-up` measures the same as `cargo run -r -p
//! giving-up`.

fn main() -> std::process::ExitCode {
    harness::bench_main(giving_up::chapter())
}
