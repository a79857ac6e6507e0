//! `cargo run -r -p example-chapter`: measures this chapter's experiments here.

fn main() -> std::process::ExitCode {
    harness::main(example_chapter::chapter())
}
