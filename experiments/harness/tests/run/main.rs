//! A run of a chapter whose cells misbehave, as `cargo run` would do it: this test starts itself as
//! that chapter's program.

mod cells;
mod recorded;

use std::io::{Read, Write};
use std::ops::Range;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::{mpsc, LazyLock};
use std::thread::{available_parallelism, sleep};
use std::time::Duration;

use harness::{in_time, Body, Cell, Chapter, Experiment};
use libtest_mimic::{Arguments, Trial};
use measurement::{Measured, Outcome, Row, Run, RunHeader, Source, Unit};
use runtimes::{LOCAL, MOVING};

use cells::VECTOR;

/// Makes this process the chapter's program.
const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

/// What fails, and with which words, or which others. The name of a signal is the system's, its number is not.
const FAILURES: [(&str, &str); 23] = [
    ("panics", "panicked: out of cheese"),
    ("aborts", "signal: 6"),
    ("hangs", "gave no answer within 2 s"),
    ("is wrong", "returned 41, the right answer is 42"),
    // On a machine so busy that one operation fills a sample, the wrong answer may be the only one of its batch.
    ("is wrong at times", "returned different answers|returned 41"),
    ("is killed later", "signal: 9"),
    ("panics later", "panicked: out of cheese"),
    ("panics on the thread", "panicked: out of cheese"),
    ("refuses", "no cheese"),
    ("reads half", "are not one figure for each of"),
    ("reads infinity", "are not one figure for each of"),
    ("reads beyond", "it is more than all cheese"),
    ("needs", "a cheese shop is needed"),
    ("two points", "too few points for a line"),
    ("falls", "make a line that falls"),
    ("aborts apart", "signal: 6"),
    ("hangs apart", "gave no answer within 0.3 s"),
    ("serves nobody", "0 requests were answered in 20ms, 7 failed"),
    ("refuses to serve", "no waiter"),
    ("hangs serving", "gave no answer within 0.3 s"),
    ("dies serving", "signal: 6"),
    ("counts more at times", "only 2 of 4 visits counted latencies"),
    ("dies of counting", "panicked"),
];

/// What is found at each point, exactly, and how many points there are. In two processes of three rounds a
/// cell is visited there and back; windows in the first round of each; readings once; counts are one each.
const FIGURES: [(&str, &str, f64, usize); 15] = [
    ("allocates", "allocations per operation", 3.0, 2),
    ("allocates", "bytes per operation", 300.0, 2),
    ("allocates in parts", "allocations per operation", 1.0, 2),
    ("waits", "allocations per operation", 0.0, 2),
    ("reads", "latency p50", 10.0, 2),
    ("reads", "latency p99", 20.0, 2),
    ("reads", "time per unit", 70.0, 2),
    ("spawns", "time to spawn", 1_000.0, 12),
    ("serves", "throughput", 50_000.0, 4),
    ("serves", "latency p50", 500.0, 4),
    ("serves", "latency p99", 990.0, 4),
    ("serves", "latency p99.9", 999.0, 4),
    ("serves", "latency max", 1_000.0, 4),
    ("serves plainly", "throughput", 50_000.0, 4),
    ("serves plainly", "CPU time per request", 0.5, 4),
];

/// This test as the chapter's program.
fn program(arguments: &[&str]) -> Command {
    as_program(Command::new(this()), arguments)
}

/// A program that starts this one, with the arguments behind its own.
fn as_program(mut command: Command, arguments: &[&str]) -> Command {
    // With a lock of its own: whoever measures meanwhile is not waited for.
    let lock = env!("CARGO_TARGET_TMPDIR");
    command.env(PROGRAM, "1").env("TMPDIR", lock).args(arguments);
    command
}

fn this() -> std::path::PathBuf {
    std::env::current_exe().expect("this test has a path")
}

/// What a program printed, and what it said meanwhile.
fn output(mut command: Command) -> (bool, String, String) {
    let Output { status, stdout, stderr } =
        command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status.success(), text(stdout), text(stderr))
}

/// What a program measured: the first header, and the rows of all experiments.
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

    /// The rows of a contender, without twins.
    fn of_contender(&self, contender: &str) -> Vec<&Row> {
        let is_its =
            |row: &&Row| row.contender == contender && row.twin_of.is_none();
        self.rows.iter().filter(is_its).collect()
    }

    fn row(&self, contender: &str, quantity: &str) -> &Row {
        let mut rows = self.of_contender(contender).into_iter();
        let row = rows.find(|row| row.quantity == quantity);
        row.unwrap_or_else(|| panic!("no {quantity} of {contender}"))
    }

    fn measured(&self, contender: &str, quantity: &str) -> &Measured {
        let measured = self.row(contender, quantity).figures();
        measured.unwrap_or_else(|reason| panic!("{reason}"))
    }

    fn of_experiment<'a>(
        &'a self,
        experiment: &'a str,
    ) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.experiment == experiment)
    }
}

/// One for all tests.
static RUN: LazyLock<Sitting> =
    LazyLock::new(|| Sitting::of(program(&["--json", "--brief"])));

fn fails(row: &Row, reason: &str) {
    let mut reasons = reason.split('|');
    match &row.outcome {
        Outcome::Failed(found) if reasons.any(|of| found.contains(of)) => {}
        other => panic!("{}: {other:?}, not {reason:?}", row.name()),
    }
}

/// The turns in which it was visited, each of which is logged.
fn turns(measured: &Measured) -> Vec<u32> {
    let visits = measured.visits.as_ref().expect("it was visited");
    let probed = visits.probe.iter().filter(|&&probe| probe > 0.0).count();
    let logged = [visits.at.len(), visits.build.len(), probed];
    assert_eq!(logged, [visits.turn.len(); 3], "{visits:?}");
    assert!(visits.at.is_sorted(), "{visits:?}");
    visits.turn.clone()
}

fn what_fails_is_a_row_with_the_reason() {
    for (contender, reason) in FAILURES {
        let rows = RUN.of_contender(contender);
        let failed = rows.iter().find(|row| row.measured().is_none());
        fails(
            failed.unwrap_or_else(|| panic!("{contender}: {rows:?}")),
            reason,
        );
    }
    let said = "failed: misbehaving: panics: panicked: out of cheese";
    assert!(RUN.said.contains(said), "{}", RUN.said);
}

fn what_is_found_is_a_row_of_each_quantity() {
    for (contender, quantity, expected, count) in FIGURES {
        let points = &RUN.measured(contender, quantity).points;
        assert_eq!(*points, vec![expected; count], "{contender}, {quantity}");
    }
}

/// Also beside cells that die midway.
fn a_cell_that_behaves_has_a_point_for_every_visit() {
    let tokio = RUN.measured("tokio", "time per operation");
    assert_eq!(turns(tokio), (0..12).collect::<Vec<_>>());
    // On a busy machine it sleeps for longer than a sample, and is in fewer rounds.
    let sleeps = RUN.measured("sleeps", "time per operation");
    let turns = turns(sleeps);
    let is_round =
        |two: &[u32]| two[0].is_multiple_of(2) && two[1] == two[0] + 1;
    assert!(turns.len() >= 6 && turns.chunks(2).all(is_round), "{turns:?}");
    assert!((200e3..20e6).contains(&sleeps.estimate), "{sleeps:?}");
}

fn quick_leaves_out_what_is_for_full() {
    assert!(RUN.of_contender("only in full").is_empty());
}

fn the_header_says_what_was_measured() {
    let header = &RUN.header;
    assert_eq!((&*header.chapter, &*header.machine), ("harness", "local"));
    assert_eq!((header.processes, header.log.len()), (2, 6), "{header:?}");
    assert!(header.crates.contains_key("tokio"), "{header:?}");
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    assert!(
        header.log.iter().all(|of| of.slowed.is_some_and(is_share)),
        "{header:?}"
    );
    assert_eq!(header.builds, [0]);
    assert!(header.workload.is_some(), "{header:?}");
}

/// One of each kind in a group is visited as its own twin, there and back like the rest. Readings in the
/// process of the rounds have none.
fn each_kind_in_a_group_has_a_twin() {
    let twins = || RUN.rows.iter().filter(|row| row.twin_of.is_some());
    assert!(twins().all(|row| row.group.is_some()));
    for (twin, points) in
        [("sleeps", 12), ("serves", 4), ("on its own", 2), ("vectors", 2)]
    {
        let row = twins().find(|row| row.contender == twin).expect(twin);
        assert_eq!(row.twin_of.as_deref(), Some(twin));
        match row.measured() {
            Some(measured) => {
                assert_eq!(turns(measured).len(), points, "{twin}")
            }
            None if cfg!(target_os = "linux") => panic!("{row:?}"),
            None => {}
        }
    }
    assert!(twins().all(|row| row.contender != "finds"));
}

fn what_cannot_be_done_is_refused() {
    for (arguments, reason) in [
        (["no such cell", "--brief", "--json"], "--list"),
        // The mark in the list is no part of the name.
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
        // A figure that is not found on a busy machine is no wrong answer.
        Ok(vec![f64::INFINITY])
    })
    .infinite_means("it is more than all cheese");
    let falls = Cell::fitted("d", Source::Harness, "total time", || {
        Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])
    });
    let experiment = Experiment::new("sum", "time per operation", "a")
        .cell(Cell::new("a", 1, Body::here(|| || 1)))
        .cell(Cell::new("b", 1, Body::here(|| || 2)))
        .cell(beyond)
        .cell(falls);
    let package = env!("CARGO_MANIFEST_DIR");
    let found = Chapter::new("harness", package, vec![experiment]).verify();
    let expected = "sum: b: the operations returned 2, the right answer is 1";
    assert_eq!(found, Err(expected.to_owned()));
}

fn what_fails_while_it_is_counted_has_its_time_all_the_same() {
    let timed = RUN.measured("dies of counting", "time per operation");
    assert_eq!(timed.points.len(), 12);
    fails(RUN.row("dies of counting", "bytes per operation"), "panicked");
    if cfg!(target_os = "linux") {
        // It may lose its core at other times as well.
        let switches = RUN.measured("waits", "context switches per operation");
        let are_right = switches.points.iter().all(|p| (1.0..1.5).contains(p));
        assert!(are_right, "{switches:?}");
    }
}

/// However they are counted here, and by ptrace; or there is a reason why not.
fn system_calls_are_counted_by_name() {
    let mut by_ptrace = program(&["counted", "--json", "--brief"]);
    by_ptrace.env("HARNESS_BY_PTRACE", "1");
    let traced = Sitting::of(by_ptrace);
    for (contender, quantity, expected) in [
        ("waits", "system calls per operation", 1.0),
        ("waits", "read calls per operation", 0.0),
        ("waits", "futex calls per operation", 0.0),
        ("reads files", "read calls per operation", 3.0),
        // It fails only where allocations are counted.
        ("dies of counting", "read calls per operation", 0.0),
    ] {
        for sitting in [&traced, &RUN] {
            let row = sitting.row(contender, quantity);
            match &row.outcome {
                Outcome::Failed(reason) => {
                    let known = ["ptrace is not allowed", "on Linux only"];
                    assert!(
                        known.iter().any(|of| reason.contains(of)),
                        "{reason}"
                    );
                }
                Outcome::Measured(Measured { points, source, .. }) => {
                    assert_eq!(*points, [expected; 2], "{row:?}");
                    let is_counter = *source == Source::Counter;
                    let is_known =
                        is_counter && !std::ptr::eq(sitting, &traced);
                    assert!(is_known || *source == Source::Ptrace, "{row:?}");
                }
            }
        }
    }
}

/// It has a time, while spinners were there, or says why not.
fn what_is_left_out_is_timed_and_not_counted() {
    for contender in ["is left out", "is for full", "in company"] {
        let rows = RUN.of_contender(contender);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(rows[0].quantity, "time per operation");
        let is_known =
            contender == "in company" && cfg!(not(target_os = "linux"));
        assert!(rows[0].measured().is_some() || is_known, "{rows:?}");
    }
}

fn what_is_beyond_the_baseline_is_a_row() {
    let rows = RUN.of_experiment("beyond").filter(|row| row.twin_of.is_none());
    let beyond =
        rows.filter(|row| row.quantity == "time per switch").map(|row| {
            let figures = row.figures().unwrap();
            let is_even = figures.points.iter().all(|&p| p == figures.estimate);
            assert!(row.difference && is_even, "{row:?}");
            (row.contender.as_str(), figures.estimate)
        });
    let expected =
        [("slower", 2_000.0), ("slower", 4_000.0), ("faster", -1_000.0)];
    assert_eq!(beyond.collect::<Vec<_>>(), expected);
}

/// A state is there for a visit, and gone when the next cell has its own.
fn every_runtime_runs_or_says_why_not() {
    let moving = MOVING.iter().map(|runtime| runtime.name());
    let names: Vec<_> =
        moving.chain(LOCAL.iter().map(|runtime| runtime.name())).collect();
    let rows = RUN.of_experiment("staged").filter(|row| row.twin_of.is_none());
    let rows: Vec<_> = rows.collect();
    for name in &names {
        assert!(rows.iter().any(|row| row.contender == *name), "{name}");
    }
    for row in &rows {
        match &row.outcome {
            Outcome::Measured(found) => assert_eq!(found.points.len(), 12),
            Outcome::Failed(_) => fails(row, "cannot be built here"),
        }
    }
    let measured = rows.iter().filter(|row| row.measured().is_some());
    assert!(measured.count() >= 4, "{rows:?}");
}

fn a_cell_runs_on_the_cores_that_it_asks_for() {
    let placed: Vec<_> = RUN.of_experiment("placed").collect();
    for row in &placed {
        assert!(row.parameters.get("placement").is_some(), "{}", row.name());
        if cfg!(target_os = "linux") {
            row.figures().unwrap();
        }
    }
    let placed = placed.iter().filter(|row| row.twin_of.is_none());
    assert_eq!(placed.count(), 7);
}

/// Also if no other cell has started the runtime before.
fn a_runtime_has_all_cores_whoever_starts_it() {
    let run = Sitting::brief("workers of to_async");
    assert_eq!(run.rows[0].figures().unwrap().points.len(), 12);
}

/// A process that may use one core has no neighbours to put units on.
fn one_core_is_enough_for_all_but_neighbours() {
    let mut taskset = Command::new("taskset");
    if let Err(error) = taskset.output() {
        println!("skipped: taskset, which limits a process, {error}");
        return;
    }
    taskset.args(["--cpu-list", "0"]).arg(this());
    let run =
        Sitting::of(as_program(taskset, &["placed", "--json", "--brief"]));
    run.measured("task", "time per operation");
    fails(run.row("neighbours", "time per operation"), "2 cores");
}

/// As on a full disk, and without a place for temporary files: every visit fails.
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
        fails(&Sitting::of(command).rows[0], reason);
    }
}

/// In a run of two processes of three rounds: there and back in the first round of
/// each.
fn a_window_is_visited_there_and_back_in_each_process() {
    let measured = RUN.measured("serves", "throughput");
    assert_eq!(turns(measured), [0, 1, 6, 7]);
    assert_eq!(RUN.row("serves", "throughput").unit, Unit::PerSecond);
    assert_eq!(measured.source, Source::Harness);
    let window = measured.window.as_ref().expect("it has a window");
    assert_eq!(window.achieved, measured.points);
    assert_eq!(window.offered, [60_000.0; 4]);
    assert_eq!((&window.errors, &window.late), (&vec![2; 4], &vec![3; 4]));
    // The histogram says what its percentiles say.
    for (quantity, share) in [
        ("latency p50", 0.5),
        ("latency p99", 0.99),
        ("latency p99.9", 0.999),
        ("latency max", 1.0),
    ] {
        let of_it = RUN.measured("serves", quantity);
        assert_eq!(of_it.source, Source::Histogram);
        assert_eq!(turns(of_it), [0, 1, 6, 7]);
        let kept = window.histogram.iter().map(|l| l.at_share(share) as f64);
        assert_eq!(kept.collect::<Vec<_>>(), of_it.points, "{quantity}");
    }
    let plain = RUN.measured("serves plainly", "throughput");
    let window = plain.window.as_ref().expect("it has a window");
    assert!(window.histogram.is_empty(), "{window:?}");
    assert!(window.offered.is_empty() && window.late.is_empty(), "{window:?}");
    assert_eq!(window.errors, [0; 4]);
    let rows = RUN.of_contender("serves plainly").len();
    assert_eq!(rows, 2, "a latency from nowhere");
}

/// And so is each quantity that it might have had, for all that is known.
fn a_window_that_fails_is_a_row() {
    for (contender, rows) in [
        ("serves nobody", 5),
        ("refuses to serve", 5),
        ("hangs serving", 5),
        ("dies serving", 5),
        ("counts more at times", 5),
    ] {
        let failed = RUN.of_contender(contender).into_iter();
        let failed = failed.filter(|row| row.measured().is_none()).count();
        // On a busy machine its group was done again, and what it counted before it
        // died is not known.
        let is_unknown = RUN.header.repeated() > 0 && failed == 5;
        assert!(failed == rows || is_unknown, "{contender}: {failed} rows");
    }
}

fn what_a_window_left_unanswered_is_said() {
    let (_, table, _) = output(program(&["served: serves", "--brief"]));
    let said =
        "served: serves, throughput: 8 requests failed, 12 were made late";
    assert!(table.contains(said), "{table}");
    assert!(!table.contains("plainly, throughput:"), "{table}");
    assert!(table.contains("50000 /s"), "{table}");
}

/// Alone in a run, so that nothing else ends the process of its rounds.
fn what_is_taken_apart_costs_no_other_cell_anything() {
    let run = Sitting::brief("apart: ");
    let points =
        |contender, quantity| &run.measured(contender, quantity).points[..];
    let timed = points("in one process", "total time");
    let (first, second) = timed.split_at(6);
    assert_eq!((first, second), (&[first[0]; 6][..], &[second[0]; 6][..]));
    assert_eq!(turns(run.measured("on its own", "reached")), [0, 6]);
    let own = points("on its own", "moves per process");
    let mut ids = vec![own[0] + 1.0, own[1] + 1.0, first[0], second[0]];
    ids.sort_by(f64::total_cmp);
    ids.dedup();
    assert_eq!((own.len(), ids.len()), (2, 4), "{ids:?}");
    assert_eq!(points("leaks", "reached"), [0.0; 2], "it stays");
    assert_eq!(points("finds", "reached"), [0.0; 2], "it spreads");
    fails(run.row("aborts apart", "reached"), "signal: 6");
    fails(run.row("hangs apart", "reached"), "gave no answer within 0.3 s");
}

fn what_a_unit_adds_is_the_slope_of_a_line() {
    let row = RUN.row("vectors", "resident memory per unit");
    if cfg!(not(target_os = "linux")) {
        return fails(row, "no memory here");
    }
    let measured = row.figures().unwrap();
    assert_eq!(turns(measured), [0, 6]);
    // A vector, and what its place among the others takes.
    let bytes: Range<f64> = VECTOR as f64..VECTOR as f64 * 1.05;
    assert!(
        measured.points.iter().all(|slope| bytes.contains(slope)),
        "{row:?}"
    );
    let fit = measured.fit.as_ref().expect("it was fitted");
    let units: Vec<f64> = fit.points.iter().map(|point| point.0).collect();
    assert_eq!(units, [500.0, 1000.0, 2000.0, 500.0, 1000.0, 2000.0]);
    let interval = (measured.low, measured.estimate, measured.high);
    assert_eq!((fit.low, fit.slope, fit.high), interval);
}

/// Others keep every core busy: groups are visited again, and the header says so.
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
    // On a machine that is busy anyway, there are rounds in which nothing is visited.
    let mut visited = header.log.iter().filter(|of| of.slowed.is_some());
    assert!(visited.all(|round| round.load > 0.05), "{header:?}");
}

/// Starts the program, asks it for something that takes long, and lets `end` end what it is of, its input or
/// the process: then everything that shares its output has to end.
fn ends(arguments: &[&str], request: &str, by_kill: bool) {
    let mut command = program(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let mut stdout = process.stdout.take().unwrap();
    writeln!(stdin, "{request}").unwrap();
    sleep(Duration::from_millis(300));
    assert!(process.try_wait().unwrap().is_none(), "it did not begin");
    // Killed, its input stays open, so that its child does not end for want of that.
    let mut input = Some(stdin);
    if by_kill {
        process.kill().unwrap();
    } else {
        input = None;
    }
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || {
        let read = stdout.read_to_end(&mut Vec::new());
        drop(ended.send(read));
    });
    let outcome = end.recv_timeout(Duration::from_secs(10));
    drop(process.kill());
    process.wait().unwrap();
    drop(input);
    assert!(outcome.is_ok(), "{arguments:?} went on for ten seconds");
}

/// The child reads its requests from the parent; when that is gone, so is the child, even one that hangs.
fn a_child_does_not_outlive_its_parent() {
    ends(
        &["--child"],
        &request(r#"{"Calibrate":{"sample":{"secs":0,"nanos":1000000}}}"#),
        false,
    );
}

/// Even when it is the tracer that is killed.
fn a_traced_child_does_not_outlive_a_killed_tracer() {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: calls are traced on Linux only");
        return;
    }
    ends(&["--tracer"], &request(r#"{"Trace":{"operations":1}}"#), true);
}

/// `cargo book measure` starts it tied, so that it ends with it.
fn a_tied_program_ends_with_its_input() {
    ends(&["--json", "--tied"], "", false);
}

/// Asks something of the cell that hangs.
fn request(ask: &str) -> String {
    format!(r#"{{"cell":"misbehaving: hangs","is_twin":false,"ask":{ask}}}"#)
}

fn main() -> ExitCode {
    if std::env::var_os(PROGRAM).is_some() {
        return harness::main(cells::chapter());
    }
    let mut arguments = Arguments::from_args();
    // A round that others disturb is done again, so two at once take longer.
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
        what_fails_is_a_row_with_the_reason,
        what_is_found_is_a_row_of_each_quantity,
        a_cell_that_behaves_has_a_point_for_every_visit,
        quick_leaves_out_what_is_for_full,
        the_header_says_what_was_measured,
        each_kind_in_a_group_has_a_twin,
        what_cannot_be_done_is_refused,
        verify_names_what_is_wrong,
        what_fails_while_it_is_counted_has_its_time_all_the_same,
        system_calls_are_counted_by_name,
        what_is_left_out_is_timed_and_not_counted,
        what_is_beyond_the_baseline_is_a_row,
        every_runtime_runs_or_says_why_not,
        a_cell_runs_on_the_cores_that_it_asks_for,
        a_runtime_has_all_cores_whoever_starts_it,
        one_core_is_enough_for_all_but_neighbours,
        without_room_for_criterion_s_files_there_are_reasons,
        a_window_is_visited_there_and_back_in_each_process,
        a_window_that_fails_is_a_row,
        what_a_window_left_unanswered_is_said,
        what_is_taken_apart_costs_no_other_cell_anything,
        what_a_unit_adds_is_the_slope_of_a_line,
        a_disturbed_round_is_done_again,
        a_child_does_not_outlive_its_parent,
        a_traced_child_does_not_outlive_a_killed_tracer,
        a_tied_program_ends_with_its_input,
        recorded::an_operation_has_the_steps_of_its_plan,
        recorded::what_cannot_be_recorded_says_why,
        recorded::no_run_measures_what_is_recorded,
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
