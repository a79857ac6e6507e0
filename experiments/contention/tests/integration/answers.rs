//! Every contender gives the right answer.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::atomic::AtomicU64;

#[test]
fn every_contender_returns_the_same_answer() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_contention"));
    let verified = program.arg("--verify").output().unwrap();
    let [said, wrong] = [verified.stdout, verified.stderr]
        .map(|text| String::from_utf8(text).unwrap());
    println!("{said}");
    assert!(verified.status.success(), "{wrong}");
}

#[test]
fn counters_lie_where_their_layout_says() {
    use contention::listings::locks::layout;
    const THREADS: usize = 4;
    let lines = |counters: Vec<&AtomicU64>| {
        let address =
            |counter: &&AtomicU64| std::ptr::from_ref(*counter).addr();
        assert_eq!(counters.len(), THREADS);
        let lines: BTreeSet<_> =
            counters.iter().map(|c| address(c) / 64).collect();
        let apart: BTreeSet<_> = counters.iter().map(address).collect();
        (apart.len(), lines.len())
    };
    assert_eq!(lines(layout::shared(THREADS)), (1, 1));
    assert_eq!(lines(layout::adjacent(THREADS)), (THREADS, 1));
    assert_eq!(lines(layout::padded(THREADS)), (THREADS, THREADS));
}

#[test]
fn every_number_of_cores_has_its_cells() {
    let listed = |cores: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_contention"));
        let listed = program.arg("--list").env("HARNESS_CORES", cores).output();
        let listed = listed.unwrap();
        assert!(listed.status.success(), "{cores}: {listed:?}");
        String::from_utf8(listed.stdout).unwrap()
    };
    // On a machine with one core, a measurement that needs two cores is still
    // listed, along with the reason why it is missing.
    assert_eq!(listed("1").lines().count(), listed("2").lines().count());
    for cores in ["4", "16", "128"] {
        assert!(!listed(cores).is_empty());
    }
}
