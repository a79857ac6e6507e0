//! Every runtime and every pool gives the right answers.

use std::process::Command;

#[test]
fn every_contender_returns_the_same_answer() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_blocking-tasks"));
    let verified = program.arg("--verify").output().unwrap();
    let [said, wrong] = [verified.stdout, verified.stderr]
        .map(|text| String::from_utf8(text).unwrap());
    println!("{said}");
    assert!(verified.status.success(), "{wrong}");
}

/// The test runs without root's privileges, because root may lock any amount
/// of memory.
#[cfg(target_os = "linux")]
#[test]
fn with_little_memory_to_lock_a_lone_job_has_a_reason_and_no_hang() {
    let program = env!("CARGO_BIN_EXE_blocking-tasks");
    let as_plain_user = |what: &str| {
        let first =
            format!("ulimit -l 64; {program} {what} 'lone-job: glommio'");
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups", "--no-new-privs"]);
        command.args(["timeout", "100", "sh", "-c", &first]).output()
    };
    let listed = as_plain_user("--list");
    if !listed.as_ref().is_ok_and(|it| it.status.success()) {
        return println!("skipped: no plain user can be had: {listed:?}");
    }
    let verified = as_plain_user("--verify").unwrap();
    assert!(verified.status.success(), "{verified:?}");
    let said = String::from_utf8(verified.stdout).unwrap();
    assert!(said.contains("\n0 cells gave the right answer"), "{said}");
}
