//! `cargo bench -p example-chapter`: the same run as `cargo run -r -p example-chapter`.

fn main() -> std::process::ExitCode {
    harness::bench_main(example_chapter::chapter())
}
