//! `cargo bench -p context-switches` measures the same as `cargo run -r -p
//! context-switches`.

fn main() -> std::process::ExitCode {
    harness::bench_main(context_switches::chapter())
}
