//! `cargo book` as it is called: what it prints, and how it ends.

use std::process::{Command, Output};

use copy::{Copy, PAGE};

// Shared with tests that need more of it.
#[allow(dead_code)]
#[path = "../../mdbook-measured/tests/copy/mod.rs"]
mod copy;

fn build(copy: &Copy) -> Output {
    Command::new(env!("CARGO_BIN_EXE_book")).current_dir(copy.path("")).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_wrong_is_an_error() {
    let copy = Copy::new();
    copy.change(PAGE, "number boil: kettle", "number boil: kettel");
    let output = build(&copy);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("error: src/tea.md:3: "), "{}", said(&output));
}

#[test]
fn a_machine_whose_data_are_stale_is_one_message() {
    let copy = Copy::new();
    let files = "[package.metadata.measured.files]\nboil = [\"main\"]\n";
    copy.write("experiments/tea/Cargo.toml", files);
    copy.write("experiments/tea/src/main.rs", "fn main() {}\n");
    copy.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.96.0\"\n");
    let locked = "[[package]]\nname = \"water\"\nversion = \"2.0.0\"\nsource = \"registry\"\n";
    copy.write("Cargo.lock", locked);
    let output = build(&copy);
    assert!(output.status.success(), "{}", said(&output));
    let said = said(&output);
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    for expected in [
        "warning: the data of kettle-1 are stale in 1 of 1 files: measured with rustc 1.95.0, the tree has 1.96.0; ",
        "; and 1 more reasons.",
        "cargo book measure tea --full --machine kettle-1",
    ] {
        assert!(said.contains(expected), "{said} has no {expected:?}");
    }
}
