//! The rows of results in a run of all test benchmarks.

use std::ops::Range;

use measurement::{Measured, Source, Visits, Window};
use runtimes::{LOCAL, MOVING};

use crate::cells::VECTOR;
use crate::sitting::{line, others, program, reads, Sitting, RUN};

/// The expected rows: how many there are (any number if there is none), and
/// the parts that each contains in this order. With two processes of three
/// rounds, a timed benchmark is measured twice in each round, a window of
/// time in the first round of each process, and a reading once. Counts have
/// one figure per process. Every row matches one of these.
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
    "7 placed: *placement=*Criterion",
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

pub(crate) fn each_row_reads_as_expected() {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: elsewhere than on Linux less can be measured");
        return;
    }
    let neighbours = match harness::core_count() {
        1 => "1 placed: neighbours, *failed: 2 cores are needed",
        _ => "1 placed: neighbours, *Criterion",
    };
    let expected = [&[neighbours], &ROWS[..]].concat();
    assert_eq!(others(&RUN.rows, &expected), [""; 0]);
    let said = "failed: misbehaving: panics: panicked: out of cheese";
    assert!(RUN.said.contains(said), "{}", RUN.said);
}

/// Each point of a row has a time, a turn, a build and a probe of the core's
/// speed. Timed benchmarks are measured twice per round, in at least three
/// rounds.
pub(crate) fn each_visit_is_logged() {
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

pub(crate) fn the_header_says_what_was_measured() {
    let header = &RUN.header;
    assert_eq!((&*header.chapter, &*header.machine), ("harness", "local"));
    assert_eq!((header.processes, header.log.len()), (2, 6), "{header:?}");
    assert!(header.crates.contains_key("tokio"), "{header:?}");
    assert_eq!(header.builds, [0]);
    assert!(header.workload.is_some(), "{header:?}");
}

/// There is no git if, for example, the source tree comes from an archive.
pub(crate) fn without_git_the_commit_is_unknown_and_the_run_is_read() {
    let mut command = program(&["sleeps", "--json", "--brief"]);
    command.env("GIT_DIR", "/nowhere");
    assert_eq!(Sitting::of(command).header.commit, "unknown");
}

/// A benchmark's state exists during one measurement, and is gone when the
/// next benchmark sets up its own.
pub(crate) fn every_runtime_runs_or_says_why_not() {
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

pub(crate) fn a_window_keeps_what_it_counted() {
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

pub(crate) fn what_a_unit_adds_is_the_slope_of_a_line() {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: memory is known on Linux only");
        return;
    }
    let measured = RUN.measured("vectors", "resident memory per unit");
    // The size of a vector, plus the memory that it takes up in the outer
    // vector.
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
