//! `cargo run -r -p memory`: measures this chapter's experiments here. With `limits`
//! first it says what limits how many units there can be.

fn main() -> std::process::ExitCode {
    memory::main(harness::main)
}
