//! `cargo run -r -p how-benchmarks-lie`: measures this chapter's experiments.

fn main() -> std::process::ExitCode {
    harness::main(how_benchmarks_lie::chapter())
}
