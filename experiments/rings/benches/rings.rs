//! `cargo bench -p rings`: the same as `cargo run -r -p rings`.

fn main() -> std::process::ExitCode {
    rings::main(harness::bench_main)
}
