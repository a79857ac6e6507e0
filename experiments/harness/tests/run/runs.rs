//! Runs of a few test benchmarks under special circumstances.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};

use measurement::Run;

use crate::sitting::{
    as_program, line, others, output, program, reads, this, Sitting, RUN,
};

/// A part of the output of a run in which system calls can't be counted.
const CALLS_UNKNOWN: &str =
    "calls per operation: failed: ptrace is not allowed";

pub(crate) fn what_cannot_be_done_is_refused() {
    for (arguments, reason) in [
        (["no such cell", "--brief", "--json"], "--list"),
        // The list marks this name with `(full)`, but a filter doesn't
        // contain the mark.
        (
            ["only in full", "--brief", "--json"],
            "only cells of the full profile",
        ),
        (["only in full", "--brief", "--json"], "add --full"),
        (["--json", "--machine", "../elsewhere"], "is not a name"),
    ] {
        let (is_success, _, said) = output(program(&arguments));
        assert!(!is_success && said.contains(reason), "{said}");
    }
    let (_, listed, _) = output(program(&["--list", "beha"]));
    for line in ["behaving: only in full (full)", "misbehaving: panics"] {
        assert!(listed.lines().any(|listed| listed == line), "{listed}");
    }
}

/// System calls are counted by tracepoints or by ptrace. If neither is
/// allowed, the row gives the reason.
pub(crate) fn system_calls_are_counted_by_name() {
    let mut by_ptrace = program(&["counted", "--json", "--brief"]);
    by_ptrace.env("HARNESS_BY_PTRACE", "1");
    let traced = Sitting::of(by_ptrace);
    for (rows, source) in [(&RUN.rows, ""), (&traced.rows, "Ptrace")] {
        if rows.iter().map(line).any(|line| reads(&line, CALLS_UNKNOWN)) {
            continue;
        }
        for words in [
            "waits, system calls per operation: *[1.0]",
            "waits, read calls per operation: *[0.0]",
            "waits, futex calls per operation: *[0.0]",
            "reads files, read calls per operation: *[3.0]",
            // This benchmark fails only if allocations are counted.
            "dies of counting, read calls per operation: *[0.0]",
        ] {
            others(
                rows,
                &[&format!("1 counted: {words} in 2 processes, {source}")],
            );
        }
    }
}

pub(crate) fn a_runtime_has_all_cores_whoever_starts_it() {
    let run = Sitting::brief("workers of to_async");
    assert_eq!(others(&run.rows, &["1 in every turn"]), [""; 0]);
}

pub(crate) fn one_core_is_enough_for_all_but_neighbours() {
    let mut taskset = Command::new("taskset");
    if let Err(error) = taskset.output() {
        println!("skipped: taskset, which limits a process, {error}");
        return;
    }
    taskset.args(["--cpu-list", "0"]).arg(this());
    let run =
        Sitting::of(as_program(taskset, &["placed", "--json", "--brief"]));
    others(
        &run.rows,
        &[
            "1 placed: task, *in every turn",
            "1 placed: neighbours, *failed: *2 cores",
        ],
    );
}

/// If there is no place for temporary files, as on a full disk, every
/// measurement fails.
pub(crate) fn without_room_for_criterion_s_files_there_are_reasons() {
    let mut full = Command::new("sh");
    full.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
        .arg(this());
    let arguments = ["sleeps", "--json", "--brief"];
    let mut nowhere = program(&arguments);
    nowhere.env("TMPDIR", "/nonexistent");
    for (command, reason) in [
        (as_program(full, &arguments), "File too large"),
        (nowhere, "temporary file"),
    ] {
        others(
            &Sitting::of(command).rows[..1],
            &[&format!("1 failed: *{reason}")],
        );
    }
}

pub(crate) fn the_table_says_how_contenders_compare_and_what_was_left_unanswered(
) {
    let table = |filter| output(program(&[filter, "--brief"])).1;
    let served = table("served: serves");
    for said in [
        "served: serves, throughput: 8 requests failed, 12 were made late",
        "50,000 /s",
        "ratio to serves",
        "1 (1 to 1)",
        "failed: served: serves nobody",
    ] {
        assert!(served.contains(said), "{said}: {served}");
    }
    assert!(!served.contains("plainly, throughput:"), "{served}");
    let alone = table("behaving: sleeps");
    assert!(alone.contains("sleeps") && !alone.contains("ratio to"), "{alone}");
}

/// These benchmarks run alone, so that no other benchmark ends the process
/// that runs the rounds.
pub(crate) fn what_is_taken_apart_costs_no_other_cell_anything() {
    let run = Sitting::brief("apart: ");
    let points =
        |contender, quantity| &run.measured(contender, quantity).points[..];
    let timed = points("in one process", "total time");
    let (first, second) = timed.split_at(6);
    assert_eq!((first, second), (&[first[0]; 6][..], &[second[0]; 6][..]));
    let own = points("on its own", "moves per process");
    let mut ids = vec![own[0] + 1.0, own[1] + 1.0, first[0], second[0]];
    ids.sort_by(f64::total_cmp);
    ids.dedup();
    assert_eq!((own.len(), ids.len()), (2, 4), "{ids:?}");
    let expected = [
        "2 on its own, reached*in turns [0, 6]",
        "1 leaks, reached: *[0.0]",
        "1 finds, reached: *[0.0]",
        "1 aborts apart, reached: failed: *signal: 6",
        "1 hangs apart, reached: failed: gave no answer within 0.3 s",
    ];
    others(&run.rows, &expected);
}

/// If other programs keep every core busy, groups are measured again, and the
/// header reports it.
pub(crate) fn a_disturbed_round_is_done_again() {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: the machine's load is known on Linux only");
        return;
    }
    let cores = available_parallelism().map_or(1, usize::from);
    let spin = |_| {
        let mut spins = Command::new("sh");
        spins.args(["-c", "while :; do :; done"]).spawn().expect("sh")
    };
    let others: Vec<_> = (0..cores).map(spin).collect();
    let spun = output(program(&["sleeps", "--json", "--brief"]));
    for mut other in others {
        other.kill().unwrap();
        other.wait().unwrap();
    }
    let header = &Run::parse_all(&spun.1).unwrap()[0].header;
    assert_eq!(header.repeated(), 3, "{header:?}");
    assert!(header.is_disturbed(), "{header:?}");
    // If other programs also use the machine, some rounds measure nothing.
    let mut visited = header.log.iter().filter(|of| of.load > 0.0);
    assert!(visited.all(|round| round.load > 0.05), "{header:?}");
}

/// Gives a program a long task, and then closes its input or kills it. All
/// processes that share the program's output must exit, even if one of them
/// hangs.
pub(crate) fn nothing_outlives_what_started_it() {
    let calibrate = r#"{"Calibrate":{"sample":{"secs":0,"nanos":1000000}}}"#;
    let hangs = |ask| {
        format!(
            r#"{{"cell":"misbehaving: hangs","is_twin":false,"ask":{ask}}}"#
        )
    };
    ends(&["--child"], &hangs(calibrate), false);
    if cfg!(target_os = "linux") {
        // If the tracer is killed, its child exits as well.
        ends(&["--tracer"], &hangs(r#"{"Trace":{"operations":1}}"#), true);
    }
    // `cargo book measure` uses `--tied` to make the program exit together
    // with it.
    ends(&["--json", "--tied"], "", false);
}

/// Even if a run is killed while a child process has temporary files, none
/// are left.
pub(crate) fn a_run_leaves_no_temporary_files() {
    let directory = tempfile::tempdir().unwrap();
    let files = || std::fs::read_dir(directory.path()).unwrap().count();
    let until = |is_so: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            sleep(Duration::from_millis(1));
        }
    };
    let mut command = program(&["sleeps", "--json", "--brief"]);
    command.env("TMPDIR", directory.path());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    until(&|| files() > 0);
    process.kill().unwrap();
    process.wait().unwrap();
    until(&|| files() == 0);
}

fn ends(arguments: &[&str], request: &str, by_kill: bool) {
    let mut command = program(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.stderr(Stdio::null()).spawn().unwrap();
    let mut input = process.stdin.take();
    let mut stdout = process.stdout.take().unwrap();
    writeln!(input.as_mut().unwrap(), "{request}").unwrap();
    sleep(Duration::from_millis(300));
    assert!(process.try_wait().unwrap().is_none(), "it did not begin");
    // The input of a killed program stays open, so that its child doesn't
    // exit just because of closed input.
    if by_kill {
        process.kill().unwrap();
    } else {
        input = None;
    }
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || ended.send(stdout.read_to_end(&mut Vec::new())));
    let outcome = end.recv_timeout(Duration::from_secs(10));
    drop(process.kill());
    process.wait().unwrap();
    drop(input);
    assert!(outcome.is_ok(), "{arguments:?} went on for ten seconds");
}
