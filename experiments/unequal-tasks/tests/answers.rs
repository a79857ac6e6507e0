//! Every contender gives the right answer.

use std::process::Command;

#[test]
fn every_contender_returns_the_same_answer() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_unequal-tasks"));
    let verified = program.arg("--verify").output().unwrap();
    let [said, wrong] = [verified.stdout, verified.stderr]
        .map(|text| String::from_utf8(text).unwrap());
    println!("{said}");
    assert!(verified.status.success(), "{wrong}");
}

/// Glommio panics if it can't create a ring, so the benchmark has to check
/// first whether it can.
#[cfg(target_os = "linux")]
#[test]
fn where_rings_are_refused_there_are_reasons_and_no_panic() {
    use seccompiler::{apply_filter, BpfProgram, SeccompAction, SeccompFilter};
    const IO_URING_SETUP: i64 = 425;
    const EPERM: u32 = 1;
    let filter = SeccompFilter::new(
        [(IO_URING_SETUP, Vec::new())].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(EPERM),
        std::env::consts::ARCH.try_into().unwrap(),
    );
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    // The filter applies only to this thread and to the program that the
    // thread starts.
    apply_filter(&filter).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_unequal-tasks"));
    let verified = program.args(["--verify", "glommio"]).output().unwrap();
    let [said, wrong] = [verified.stdout, verified.stderr]
        .map(|text| String::from_utf8(text).unwrap());
    assert!(verified.status.success(), "{wrong}");
    assert!(!wrong.contains("panicked"), "{wrong}");
    let reason = "no ring of io_uring can be made here";
    let cores = "it takes 2 cores";
    assert!(said.contains(reason) || said.contains(cores), "{said}");
}
