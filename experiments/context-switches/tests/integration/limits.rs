//! If the experiment `brigade` can't get the files or cores that it needs,
//! its rows give the reason.
#![cfg(target_os = "linux")]

use std::process::Command;

use measurement::{Outcome, Run};
use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
use nix::unistd::Pid;

/// Runs the chapter's benchmarks that match `filter`, with a limit of `files`
/// open files.
fn run_with(files: u64, filter: &str) -> Run {
    let program = env!("CARGO_BIN_EXE_context-switches");
    let command =
        format!("ulimit -n {files}; exec {program} --json --brief '{filter}'");
    run(Command::new("sh").args(["-c", &command]))
}

/// Runs the chapter's benchmarks that match `filter` on one core. This thread
/// is pinned to that core, and the program inherits the setting.
fn run_on_one_core(filter: &str) -> Run {
    const THIS_THREAD: Pid = Pid::from_raw(0);
    let cores = sched_getaffinity(THIS_THREAD).unwrap();
    let first = (0..CpuSet::count()).find(|&core| cores.is_set(core).unwrap());
    let mut one = CpuSet::new();
    one.set(first.unwrap()).unwrap();
    sched_setaffinity(THIS_THREAD, &one).unwrap();
    let program = env!("CARGO_BIN_EXE_context-switches");
    run(Command::new(program).args(["--json", "--brief", filter]))
}

fn run(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    Run::parse(&text).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn where_too_few_files_may_be_open_there_are_reasons() {
    let filter =
        "brigade: std::thread, arm=ours, in_flight=1, placement=one core";
    let rows = run_with(64, filter).rows;
    let (mut run, mut refused) = (0, 0);
    for row in rows.iter().filter(|row| row.quantity == "time per hop") {
        let transport = &row.parameters.0["transport"].to_string();
        match &row.outcome {
            Outcome::Failed(reason) => {
                assert!(["socketpair", "pipe"].contains(&transport.as_str()));
                assert!(reason.contains("ulimit -n"), "{reason}");
                refused += 1;
            }
            // Lines over channels and lines of parked threads open no files.
            Outcome::Measured(_) => {
                assert!(["channel", "park"].contains(&transport.as_str()));
                run += 1;
            }
        }
    }
    assert!(run >= 2 && refused >= 2, "{run} cells ran, {refused} did not");
}

#[test]
fn where_there_is_one_core_there_are_reasons() {
    harness::raise_file_limit();
    // If too few files could be opened, the rows would give that as the
    // reason instead of the number of cores.
    if let Err(reason) = harness::room_for_files(1_100) {
        return println!("skipped: {reason}");
    }
    for filter in ["arm=halves", "placement=neighbours, transport=socketpair"] {
        let rows = run_on_one_core(filter).rows;
        assert!(!rows.is_empty(), "{filter}");
        for row in rows {
            match &row.outcome {
                Outcome::Failed(reason) => {
                    assert!(reason.contains("2 cores"), "{filter}: {reason}");
                }
                Outcome::Measured(_) => panic!("{filter} was measured"),
            }
        }
    }
}
