//! `cargo bench -p real-service` measures the same as `cargo run -r -p
//! real-service`.

fn main() -> std::process::ExitCode {
    real_service::main(harness::bench_main)
}
