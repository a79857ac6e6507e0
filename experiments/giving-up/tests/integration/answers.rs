//! Tests that every contender gives the right answer.

#[test]
fn every_contender_returns_the_same_answer() {
    for skipped in giving_up::chapter().verify("").unwrap() {
        println!("cannot run here: {skipped}");
    }
}
