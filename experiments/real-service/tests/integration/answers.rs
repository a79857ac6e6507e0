//! Tests that every contender gives the right answer, and has stored the
//! orders that it confirmed.

use std::process::Command;

#[test]
fn every_contender_returns_the_same_answer() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_real-service"));
    let output = program.arg("--verify").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complained}");
    // Without PostgreSQL, only the contenders that store orders in memory are
    // tested.
    let right = said
        .lines()
        .last()
        .and_then(|line| line.split(' ').next()?.parse::<usize>().ok());
    assert!(right.is_some_and(|right| right >= 10), "{said}");
}
