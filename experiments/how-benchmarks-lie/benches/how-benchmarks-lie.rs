//! `cargo bench -p how-benchmarks-lie`: the same as `cargo run -r -p
//! how-benchmarks-lie`.

fn main() -> std::process::ExitCode {
    harness::bench_main(how_benchmarks_lie::chapter())
}
