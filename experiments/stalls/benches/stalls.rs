//! `cargo bench -p stalls` measures this chapter's experiments, exactly like
//! `cargo run -r -p stalls`.

fn main() -> std::process::ExitCode {
    harness::bench_main(stalls::chapter())
}
