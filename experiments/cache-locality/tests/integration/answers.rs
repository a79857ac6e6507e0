//! Every benchmark of the chapter gives the right answer.

use std::process::Command;

#[test]
fn every_contender_returns_the_same_answer() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_cache-locality"));
    let verified = program.arg("--verify").output().unwrap();
    let [said, wrong] = [verified.stdout, verified.stderr]
        .map(|text| String::from_utf8(text).unwrap());
    println!("{said}");
    assert!(verified.status.success(), "{wrong}");
}

#[test]
fn every_number_of_cores_has_its_cells() {
    let listed = |cores: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_cache-locality"));
        let listed = program.arg("--list").env("HARNESS_CORES", cores).output();
        let listed = listed.unwrap();
        assert!(listed.status.success(), "{cores}: {listed:?}");
        String::from_utf8(listed.stdout).unwrap()
    };
    // On a machine with one core, a measurement that needs two still has a
    // row, which says why it is empty.
    assert_eq!(listed("1").lines().count(), listed("2").lines().count());
    for cores in ["4", "16", "128"] {
        assert!(!listed(cores).is_empty());
    }
}
