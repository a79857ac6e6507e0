//! Checks that every benchmark of the chapter's experiments gives the right
//! answer.

use std::process::Command;

#[test]
fn every_contender_returns_the_same_answer() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_context-switches"));
    let verified = program.arg("--verify").output().unwrap();
    let [said, wrong] = [verified.stdout, verified.stderr]
        .map(|text| String::from_utf8(text).unwrap());
    println!("{said}");
    assert!(verified.status.success(), "{wrong}");
}
