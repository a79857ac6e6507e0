//! Every contender gives the right answer.

use std::path::Path;

#[test]
fn every_contender_returns_the_same_answer() {
    let program = Path::new(env!("CARGO_BIN_EXE_rings"));
    for skipped in rings::chapter(program).verify().unwrap() {
        println!("cannot run here: {skipped}");
    }
}
