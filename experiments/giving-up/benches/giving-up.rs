//! `cargo bench -p giving-up`: the same as `cargo run -r -p giving-up`.

fn main() -> std::process::ExitCode {
    harness::bench_main(giving_up::chapter())
}
