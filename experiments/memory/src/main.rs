//! `cargo run -r -p memory`: measures this chapter's experiments. With the
//! first argument `limits`, it reports the limits on the number of units.

fn main() -> std::process::ExitCode {
    memory::main(harness::main)
}
