//! A run of a chapter with misbehaving cells, as by `cargo run`: this test
//! starts itself as that chapter's program.

mod cells;
mod recorded;

use std::io::{Read, Write};
use std::ops::Range;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::{mpsc, LazyLock};
use std::thread::{available_parallelism, sleep};
use std::time::Duration;

use harness::{in_time, Body, Cell, Chapter, Experiment, Measurement};
use libtest_mimic::{Arguments, Trial};
use measurement::{
    Measured, Outcome, Row, Run, RunHeader, Source, Visits, Window,
};
use runtimes::{LOCAL, MOVING};

use cells::VECTOR;

/// Makes this process the chapter's program.
const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

/// The expected rows: how many there are (any number if there is none), and the
/// parts that each contains in this order. With two processes of three rounds,
/// a cell is visited there and back in each round; windows in the first round
/// of each process; readings once; counts have one figure per process. Every
/// row matches one of these.
const ROWS: [&str; 62] = [
    "1 behaving: tokio, arm=ours, time per operation: *in every turn, Criterion",
    "2 behaving: sleeps, *Criterion",
    "2 misbehaving: panics, *failed: panicked: out of cheese",
    "1 misbehaving: aborts, *failed: *signal: 6",
    "1 misbehaving: hangs, *failed: gave no answer within 2 s",
    "1 misbehaving: is wrong, *failed: *returned 41, the right answer is 42",
    "1 misbehaving: is wrong at times, *failed: the operations returned",
    "1 misbehaving: is killed later, *failed: *signal: 9",
    "3 tasks: *failed: panicked: out of cheese",
    "15 counted: *calls per operation: ",
    "1 counted: allocates, allocations per operation: 3 of [3.0] in 2 processes, Counter",
    "1 counted: allocates, bytes per operation: 300 of [300.0] in 2 processes, Counter",
    "1 counted: allocates in parts, allocations per operation: 1 of [1.0] in 2 processes, Counter",
    "1 counted: waits, allocations per operation: 0 of [0.0] in 2 processes, Counter",
    "1 counted: waits, context switches per operation: 1*in 2 processes, Getrusage",
    "3 counted: dies of counting, *failed: panicked",
    "1 counted: dies of counting, time per operation: *in every turn",
    "7 counted: *per operation: *in 2 processes",
    "8 counted: *time per operation*Criterion",
    "8 placed: *placement=*Criterion",
    "1 read: reads, latency p50: 10 of [10.0] in turns [0, 6], Histogram",
    "1 read: reads, latency p99: 20 of [20.0] in turns [0, 6], Histogram",
    "4 read: *failed: *are not one figure for each of",
    "2 read: reads beyond, *failed: it is more than all cheese",
    "2 read: refuses, *failed: no cheese",
    "2 read: needs, *failed: a cheese shop is needed",
    "1 parts: spawns, time to spawn: 1000 of [1000.0] in every turn, Criterion",
    "2 parts: waits, total time*Criterion",
    "2 parts: waits, time per unit*Criterion, a difference",
    "1 parts: reads, total time: 500700 of [500700.0] in turns [0, 6], Harness",
    "1 parts: reads, time per unit: 70 of [70.0] in turns [0, 6], Harness, a difference",
    "any staged: ",
    "6 beyond: *time per hop",
    "1 beyond: slower, arm=ours, units=1, time per switch: 2000 of [2000.0] in every turn, Criterion, a difference",
    "1 beyond: slower, arm=another, units=1, time per switch: 4000 of [4000.0] in turns *Criterion, a difference",
    "1 beyond: faster, arm=ours, units=1, time per switch: -1000 of [-1000.0] in every turn, Criterion, a difference",
    "2 served: serves, throughput*: 50000 of [50000.0] in turns [0, 1, 6, 7], Harness",
    "2 served: serves, latency p50*: 500 of [500.0] in turns [0, 1, 6, 7], Histogram",
    "2 served: serves, latency p99*: 990 of [990.0] in turns [0, 1, 6, 7], Histogram",
    "2 served: serves, latency p99.9*: 999 of [999.0] in turns [0, 1, 6, 7], Histogram",
    "2 served: serves, latency max*: 1000 of [1000.0] in turns [0, 1, 6, 7], Histogram",
    "1 served: serves plainly, throughput: 50000 of [50000.0] in turns [0, 1, 6, 7], Harness",
    "1 served: serves plainly, CPU time per request: 0.5 of [0.5] in turns [0, 1, 6, 7], Harness",
    "1 served: serves in turn, throughput: 50000",
    "1 served: serves in turn, latency p50: 20 of [10.0, 20.0, 10.0, 20.0]",
    "1 served: serves in turn, latency p99: 30 of [90.0, 20.0, 90.0, 20.0]",
    "2 served: serves in turn, latency *: 90 of [90.0, 30.0, 90.0, 30.0]",
    "5 served: serves nobody, *failed: 0 requests were answered in 20ms, 7 failed",
    "5 served: refuses to serve, *failed: no waiter",
    "5 served: hangs serving, *failed: gave no answer within 0.3 s",
    "5 served: dies serving, *failed: *signal: 6",
    "5 served: counts more at times, *failed: only 2 of 4 visits counted latencies",
    "1 apart: in one process, total time: ",
    "4 apart: on its own, *in turns [0, 6], Harness",
    "2 apart: *reached: 0 of [0.0] in turns [0, 6], Harness",
    "1 apart: aborts apart, *failed: *signal: 6",
    "1 apart: hangs apart, *failed: gave no answer within 0.3 s",
    "2 fitted: vectors, *in turns [0, 6], Harness",
    "1 fitted: two points, *failed: *too few points for a line",
    "1 fitted: falls, *failed: *make a line that falls",
    "1 together: panics in a crew, *failed: panicked: out of cheese",
    "4 together: *Criterion",
];

/// Where system calls are not counted.
const CALLS_UNKNOWN: &str =
    "calls per operation: failed: ptrace is not allowed";

/// Returns this test as the chapter's program.
fn program(arguments: &[&str]) -> Command {
    as_program(Command::new(this()), arguments)
}

/// Returns a program that starts this one, with `arguments` after its own.
fn as_program(mut command: Command, arguments: &[&str]) -> Command {
    // With a separate lock, so that it doesn't wait for other measurements.
    let lock = env!("CARGO_TARGET_TMPDIR");
    command.env(PROGRAM, "1").env("HARNESS_LOCK_IN", lock).args(arguments);
    command
}

fn this() -> std::path::PathBuf {
    std::env::current_exe().expect("this test has a path")
}

/// Returns whether a program succeeded, its output, and its messages.
fn output(mut command: Command) -> (bool, String, String) {
    let Output { status, stdout, stderr } =
        command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status.success(), text(stdout), text(stderr))
}

/// The result of a program: the first header, and the rows of all experiments.
struct Sitting {
    header: RunHeader,
    rows: Vec<Row>,
    said: String,
}

impl Sitting {
    fn of(command: Command) -> Sitting {
        let (is_success, text, said) = output(command);
        assert!(is_success, "{said}");
        let runs = Run::parse_all(&text);
        let runs = runs.unwrap_or_else(|error| panic!("{error}: {said}"));
        let header = runs[0].header.clone();
        let rows = runs.into_iter().flat_map(|run| run.rows).collect();
        Sitting { header, rows, said }
    }

    fn brief(filter: &str) -> Sitting {
        Sitting::of(program(&[filter, "--json", "--brief"]))
    }

    fn row(&self, contender: &str, quantity: &str) -> &Row {
        let is_it = |row: &&Row| {
            row.contender == contender
                && row.quantity == quantity
                && row.twin_of.is_none()
        };
        let row = self.rows.iter().find(is_it);
        row.unwrap_or_else(|| panic!("no {quantity} of {contender}"))
    }

    fn measured(&self, contender: &str, quantity: &str) -> &Measured {
        let measured = self.row(contender, quantity).figures();
        measured.unwrap_or_else(|reason| panic!("{reason}"))
    }
}

/// One run for all tests.
static RUN: LazyLock<Sitting> =
    LazyLock::new(|| Sitting::of(program(&["--json", "--brief"])));

/// Formats a row for comparison: its figures, and in which turns or how many
/// processes they were found.
fn line(row: &Row) -> String {
    let name = row.name();
    match &row.outcome {
        Outcome::Failed(reason) => format!("{name}: failed: {reason}"),
        Outcome::Measured(Measured {
            estimate,
            points,
            visits,
            source,
            ..
        }) => {
            let mut figures = points.clone();
            figures.dedup();
            let when = match visits {
                Some(of) if of.turn.iter().copied().eq(0..12) => {
                    "in every turn".to_owned()
                }
                Some(of) => format!("in turns {:?}", of.turn),
                None => format!("in {} processes", points.len()),
            };
            let difference = if row.difference { ", a difference" } else { "" };
            format!("{name}: {estimate} of {figures:?} {when}, {source:?}{difference}")
        }
    }
}

/// Returns whether `line` contains these words in order.
fn reads(line: &str, words: &str) -> bool {
    let mut parts = words.split('*');
    parts
        .try_fold(line, |rest, part| {
            Some(&rest[rest.find(part)? + part.len()..])
        })
        .is_some()
}

/// Returns the rows that match none of the expectations: a number or `any`, and
/// the words of that many rows.
fn others(rows: &[Row], expected: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    for expected in expected {
        let (count, words) =
            expected.split_once(' ').expect("a number stands before the words");
        let (found, rest): (Vec<String>, _) =
            lines.into_iter().partition(|line| reads(line, words));
        assert!(
            count == "any" || count == found.len().to_string(),
            "{expected}: {found:#?} and {rest:#?}"
        );
        lines = rest;
    }
    lines
}

/// Even with cells that crash.
fn each_row_reads_as_expected() {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: elsewhere than on Linux less can be measured");
        return;
    }
    assert_eq!(others(&RUN.rows, &ROWS), [""; 0]);
    let said = "failed: misbehaving: panics: panicked: out of cheese";
    assert!(RUN.said.contains(said), "{}", RUN.said);
}

/// It is known when and where each point was taken. Timed cells are visited
/// there and back, in at least three rounds.
fn each_visit_is_logged() {
    for row in &RUN.rows {
        let Some(Measured { source, visits: Some(visits), .. }) =
            row.measured()
        else {
            continue;
        };
        let Visits { at, turn, build, probe } = visits;
        assert!(
            [at.len(), build.len(), probe.len()] == [turn.len(); 3]
                && at.is_sorted(),
            "{row:?}"
        );
        assert!(probe.iter().all(|probe| *probe > 0.0), "{row:?}");
        let is_round =
            |two: &[u32]| two[0].is_multiple_of(2) && two[1] == two[0] + 1;
        let are_rounds = turn.len() >= 6 && turn.chunks(2).all(is_round);
        assert!(*source != Source::Criterion || are_rounds, "{row:?}");
    }
    for (contender, least) in [("sleeps", 200e3), ("at once", 2e6)] {
        let estimate = RUN.measured(contender, "time per operation").estimate;
        assert!(
            (least..100.0 * least).contains(&estimate),
            "{contender}: {estimate}"
        );
    }
}

fn the_header_says_what_was_measured() {
    let header = &RUN.header;
    assert_eq!((&*header.chapter, &*header.machine), ("harness", "local"));
    assert_eq!((header.processes, header.log.len()), (2, 6), "{header:?}");
    assert!(header.crates.contains_key("tokio"), "{header:?}");
    assert_eq!(header.builds, [0]);
    assert!(header.workload.is_some(), "{header:?}");
}

fn what_cannot_be_done_is_refused() {
    for (arguments, reason) in [
        (["no such cell", "--brief", "--json"], "--list"),
        // The mark in the list is not part of the name.
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

fn verify_names_what_is_wrong() {
    let beyond = Cell::readings("c", Source::Harness, &["total time"], || {
        // A missing figure on a busy machine is not a wrong answer.
        Ok(vec![f64::INFINITY])
    })
    .infinite_means("it is more than all cheese");
    let falls = Cell::fitted("d", Source::Harness, "total time", || {
        Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])
    });
    let panics = Cell::readings("e", Source::Harness, &["total time"], || {
        panic!("no cheese");
    });
    let experiment = Experiment::new("sum", "time per operation", "a")
        .cell(Cell::new("a", 1, Body::here(|| || 1)))
        .cell(panics)
        .cell(Cell::new("b", 1, Body::here(|| || 2)))
        .cell(beyond)
        .cell(falls);
    let package = env!("CARGO_MANIFEST_DIR");
    let chapter = Chapter::new("harness", package, vec![experiment]);
    let expected = "sum: e: panicked: no cheese\n\
                    sum: b: the operations returned 2, the right answer is 1";
    assert_eq!(chapter.verify(""), Err(expected.to_owned()));
    assert_eq!(chapter.verify("sum: a"), Ok(Vec::new()));
}

/// A window without answers is no wrong answer on a busy machine: a longer one
/// follows.
fn verify_waits_for_an_answer() {
    let answers_after = |patience: Duration| {
        let cell = Cell::window("e", Duration::from_secs(60), move |elapsed| {
            let answered = u64::from(elapsed >= patience);
            Ok(Measurement { answered, elapsed, ..Measurement::default() })
        });
        let fails =
            Cell::window("f", Duration::from_secs(60), move |elapsed| {
                let errors = u64::from(elapsed < patience);
                Ok(Measurement {
                    answered: 1 - errors,
                    elapsed,
                    errors,
                    ..Measurement::default()
                })
            });
        let experiment = Experiment::new("served", "time per operation", "e")
            .cell(cell)
            .cell(fails);
        Chapter::new("harness", env!("CARGO_MANIFEST_DIR"), vec![experiment])
    };
    let soon = answers_after(Duration::from_secs(2));
    assert_eq!(soon.verify("served: e"), Ok(Vec::new()));
    let failed = soon.verify("served: f").unwrap_err();
    assert!(failed.contains("answered in 100ms, 1 failed"), "{failed}");
    let never = answers_after(Duration::MAX).verify("served: e").unwrap_err();
    assert!(never.contains("0 requests were answered in"), "{never}");
}

/// By tracepoints or by ptrace, or there is a reason why not.
fn system_calls_are_counted_by_name() {
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
            // Fails only where allocations are counted.
            "dies of counting, read calls per operation: *[0.0]",
        ] {
            others(
                rows,
                &[&format!("1 counted: {words} in 2 processes, {source}")],
            );
        }
    }
}

/// A state lives for one visit, and is gone when the next cell has its own.
fn every_runtime_runs_or_says_why_not() {
    let moving = MOVING.iter().map(|runtime| runtime.name());
    let names: Vec<_> =
        moving.chain(LOCAL.iter().map(|runtime| runtime.name())).collect();
    let mut measured = 0;
    for name in names {
        let row = line(RUN.row(name, "time per operation"));
        measured += usize::from(reads(&row, "in every turn"));
        assert!(
            reads(&row, "in every turn") || reads(&row, "cannot be built here"),
            "{row}"
        );
    }
    assert!(measured >= 4, "{measured}");
}

/// Even if no other cell has started the runtime before.
fn a_runtime_has_all_cores_whoever_starts_it() {
    let run = Sitting::brief("workers of to_async");
    assert_eq!(others(&run.rows, &["1 in every turn"]), [""; 0]);
}

/// A process with only one core has no neighbouring cores for its units.
fn one_core_is_enough_for_all_but_neighbours() {
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

/// As on a full disk, without a place for temporary files: every visit fails.
fn without_room_for_criterion_s_files_there_are_reasons() {
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

fn a_window_keeps_what_it_counted() {
    let measured = RUN.measured("serves", "throughput");
    let window = measured.window.as_ref().expect("it has a window");
    assert_eq!(window.achieved, measured.points);
    assert_eq!(window.offered, [60_000.0; 4]);
    assert_eq!((&window.errors, &window.late), (&vec![2; 4], &vec![3; 4]));
    let plain = &RUN.measured("serves plainly", "throughput").window;
    let errors = vec![0; 4];
    let plainly =
        Window { achieved: vec![50_000.0; 4], errors, ..Window::default() };
    assert_eq!(*plain, Some(plainly));
}

fn the_table_says_how_contenders_compare_and_what_was_left_unanswered() {
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

/// Alone in a run, so that nothing else ends the process of its rounds.
fn what_is_taken_apart_costs_no_other_cell_anything() {
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

fn what_a_unit_adds_is_the_slope_of_a_line() {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: memory is known on Linux only");
        return;
    }
    let measured = RUN.measured("vectors", "resident memory per unit");
    // A vector, and its share of the outer vector.
    let bytes: Range<f64> = VECTOR as f64..VECTOR as f64 * 1.05;
    assert!(
        measured.points.iter().all(|slope| bytes.contains(slope)),
        "{measured:?}"
    );
    let fit = measured.fit.as_ref().expect("it was fitted");
    let units: Vec<f64> = fit.points.iter().map(|point| point.0).collect();
    assert_eq!(units, [500.0, 1000.0, 2000.0, 500.0, 1000.0, 2000.0]);
    let interval = (measured.low, measured.estimate, measured.high);
    assert_eq!((fit.low, fit.slope, fit.high), interval);
}

/// Other programs keep every core busy: groups are visited again, and the
/// header reports it.
fn a_disturbed_round_is_done_again() {
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
    // On a machine that is busy anyway, some rounds have no visits.
    let mut visited = header.log.iter().filter(|of| of.load > 0.0);
    assert!(visited.all(|round| round.load > 0.05), "{header:?}");
}

/// A program is given a long task, and then its input or its parent ends.
/// Everything that shares its output must end as well, even if it hangs.
fn nothing_outlives_what_started_it() {
    let calibrate = r#"{"Calibrate":{"sample":{"secs":0,"nanos":1000000}}}"#;
    let hangs = |ask| {
        format!(
            r#"{{"cell":"misbehaving: hangs","is_twin":false,"ask":{ask}}}"#
        )
    };
    ends(&["--child"], &hangs(calibrate), false);
    if cfg!(target_os = "linux") {
        // If the tracer is killed, its child ends as well.
        ends(&["--tracer"], &hangs(r#"{"Trace":{"operations":1}}"#), true);
    }
    // `cargo book measure` starts it tied, so that it ends with it.
    ends(&["--json", "--tied"], "", false);
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
    // If it is killed, its input stays open, so that its child doesn't end just
    // because of that.
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

fn main() -> ExitCode {
    if std::env::var_os(PROGRAM).is_some() {
        return harness::main(cells::chapter());
    }
    let mut arguments = Arguments::from_args();
    // A disturbed round is repeated, so two tests at once take longer.
    arguments.test_threads.get_or_insert(1);
    macro_rules! trials {
        ($($test:path),* $(,)?) => {
            vec![$(Trial::test(stringify!($test), || {
                in_time(stringify!($test), $test);
                Ok(())
            })),*]
        };
    }
    let trials = trials![
        each_row_reads_as_expected,
        each_visit_is_logged,
        the_header_says_what_was_measured,
        what_cannot_be_done_is_refused,
        verify_names_what_is_wrong,
        verify_waits_for_an_answer,
        system_calls_are_counted_by_name,
        every_runtime_runs_or_says_why_not,
        a_runtime_has_all_cores_whoever_starts_it,
        one_core_is_enough_for_all_but_neighbours,
        without_room_for_criterion_s_files_there_are_reasons,
        a_window_keeps_what_it_counted,
        the_table_says_how_contenders_compare_and_what_was_left_unanswered,
        what_is_taken_apart_costs_no_other_cell_anything,
        what_a_unit_adds_is_the_slope_of_a_line,
        a_disturbed_round_is_done_again,
        nothing_outlives_what_started_it,
        recorded::an_operation_has_the_steps_of_its_plan,
        recorded::what_cannot_be_recorded_says_why,
        recorded::no_run_measures_what_is_recorded,
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
