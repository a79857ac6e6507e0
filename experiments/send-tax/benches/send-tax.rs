//! `cargo bench -p send-tax`: the same as `cargo run -r -p send-tax`.

fn main() -> std::process::ExitCode {
    harness::bench_main(send_tax::chapter())
}
