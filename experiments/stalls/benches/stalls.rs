//! `cargo bench -p stalls`: the same as `cargo run -r -p stalls`.

fn main() -> std::process::ExitCode {
    harness::bench_main(stalls::chapter())
}
