//! `cargo bench -p memory` measures this chapter's experiments, exactly like
//! `cargo run -r -p memory`.

fn main() -> std::process::ExitCode {
    memory::main(harness::bench_main)
}
