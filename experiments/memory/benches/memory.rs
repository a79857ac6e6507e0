//! `cargo bench -p memory`: the same as `cargo run -r -p memory`.

fn main() -> std::process::ExitCode {
    memory::main(harness::bench_main)
}
