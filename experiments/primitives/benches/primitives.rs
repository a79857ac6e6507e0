//! `cargo bench -p primitives`: the same as `cargo run -r -p primitives`.

fn main() -> std::process::ExitCode {
    harness::bench_main(primitives::chapter())
}
