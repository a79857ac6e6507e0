//! `cargo bench -p memory`: the same run as `cargo run -r -p memory`.

fn main() -> std::process::ExitCode {
    memory::main(harness::bench_main)
}
