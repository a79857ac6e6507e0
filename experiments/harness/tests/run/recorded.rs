//! Tests of the recordings that `--record` makes of the chapter's operations.
//! If the kernel doesn't allow recording, they check the error message
//! instead.

use std::fs::File;
use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use harness::{stamp, Body, Cell, Experiment, Party, Placement, RecordingPlan};
use recordings::recording::Recorded;
use recordings::RecordingRun;

use crate::sitting::{output, program};

const HOPS: u64 = 50;

/// A time long enough for the kernel to record events in it.
const LONG: Duration = Duration::from_micros(20);

/// The benchmarks that can't be recorded, each with parts of the expected
/// error message.
const REFUSED: [(&str, [&str; 2]); 3] = [
    ("short call", ["under 5 µs", "stamps"]),
    ("many calls", ["events were lost", "in_batches_of"]),
    ("no waking", ["no nothing was found", "none began and ended"]),
];

pub(crate) fn recorded_cells() -> Experiment {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let plan = |operation, name, begins| {
        RecordingPlan::of(operation, ["writer", "reader"], name, begins)
    };
    let begins = writer.enters("write");
    let hop = plan("hop", "write", begins)
        .until("waking", writer.wakes())
        .until_perhaps("interrupt", writer.interrupts())
        .until("running", reader.runs())
        .until("return", reader.returns_from("read"))
        .until("work", reader.stamps("work"));
    let call = |batch| {
        let call = plan("call", "write", begins);
        call.until("return", writer.returns_from("write")).in_batches_of(batch)
    };
    let stamped = || {
        plan("nap", "begin", writer.stamps("begin"))
            .until_perhaps("write", writer.enters("write"))
            .until("end", writer.stamps("end"))
    };
    let nap = || {
        stamp("begin");
        thread::sleep(Duration::from_micros(50));
        stamp("end");
        1
    };
    let short = || {
        stamp("begin");
        let written = write();
        stamp("end");
        written
    };
    let missing = plan("nothing", "write", begins).until("w", writer.wakes());
    let one = |name, operation: fn() -> u64, plan| {
        Cell::new(name, 1, Body::here(move || operation)).recorded(plan)
    };
    let hops = Cell::new("hop", HOPS, Body::here(hops))
        .per(2 * HOPS)
        .placement(Placement::OneCore)
        .recorded(hop);
    Experiment::new("hops", "time per hop", "hop")
        .cell(hops)
        .cell(one("short call", write, call(100)))
        .cell(one("many calls", write, call(50_000)))
        .cell(one("nap", nap, stamped()))
        .cell(one("short", short, stamped()))
        .cell(one("no waking", write, missing))
}

/// Returns an operation that passes a byte to another thread and waits until
/// that thread passes it back.
fn hops() -> impl FnMut() -> u64 {
    let (mut arriving, mut there) = pipe().expect("there are pipes");
    let (mut back, mut returning) = pipe().expect("there are pipes");
    thread::spawn(move || {
        while read(&mut arriving) {
            give(&mut returning);
        }
    });
    move || {
        let round_trip = |_| {
            give(&mut there);
            u64::from(read(&mut back))
        };
        (0..HOPS).map(round_trip).sum()
    }
}

fn read(from: &mut PipeReader) -> bool {
    let has_come = from.read_exact(&mut [0]).is_ok();
    let since = Instant::now();
    while since.elapsed() < LONG {
        std::hint::spin_loop();
    }
    stamp("work");
    has_come
}

fn give(to: &mut PipeWriter) {
    to.write_all(&[1]).expect("it is read");
}

fn write() -> u64 {
    static NULL: LazyLock<File> = LazyLock::new(|| {
        File::options().write(true).open("/dev/null").expect("it is there")
    });
    (&*NULL).write(&[1]).map_or(0, |bytes| bytes as u64)
}

/// The recording run that all tests here share.
static RUN: LazyLock<RecordingRun> = LazyLock::new(|| {
    let (is_success, text, said) = output(program(&["--record", "--json"]));
    assert!(is_success, "{said}");
    let mut runs = RecordingRun::parse_all(&text).expect("it is a run");
    assert_eq!(runs.len(), 1, "{said}");
    runs.remove(0)
});

/// Returns the recording of a benchmark, or the reason for its failure. If
/// recording is not permitted here, checks that the message says what to do,
/// and returns `None`.
fn recorded(
    contender: &str,
) -> Option<Result<&'static Recorded, &'static str>> {
    let mut recordings = RUN.recordings.iter();
    let of_it = recordings.find(|of| of.contender == contender);
    let recorded = of_it.expect("each cell has its line").recorded();
    let may_not = |reason: &str| reason.contains("as root");
    (!recorded.is_err_and(may_not)).then_some(recorded)
}

pub(crate) fn an_operation_has_the_steps_of_its_plan() {
    let hop = [
        "write to waking",
        "waking to running",
        "running to return",
        "return to work",
    ];
    let stamped = ["begin to end"];
    for (contender, steps) in
        [("hop", &hop[..]), ("nap", &stamped), ("short", &stamped)]
    {
        let is_short = contender == "short";
        let recorded = match recorded(contender) {
            Some(Ok(recorded)) => recorded,
            // On a busy machine, a reader that is woken doesn't always run at
            // once, so the recording may fail.
            Some(Err(reason))
                if reason.contains("no half of the 5 processes") =>
            {
                continue
            }
            Some(Err(reason)) => panic!("{contender}: {reason}"),
            // Recording only the times that the program itself notes needs no
            // privileges.
            None => {
                assert!(!is_short, "{contender}");
                continue;
            }
        };
        let names = recorded.steps.iter().map(|step| &*step.name);
        assert_eq!(names.collect::<Vec<_>>(), steps);
        assert_eq!(recorded.stamps_only, is_short, "{contender}");
        let shown = &recorded.shown;
        assert_eq!(shown.steps.iter().sum::<u64>(), shown.length);
        if contender == "hop" {
            assert_eq!(shown.units, ["writer", "reader"]);
            assert_eq!(
                (shown.cores.len(), shown.wakes.len()),
                (1, 1),
                "{shown:?}"
            );
        } else {
            let few = &recorded.few_events;
            assert!(few.iter().all(|events| *events == 2.0), "{few:?}");
            assert_eq!(shown.cores.is_empty(), is_short, "{shown:?}");
        }
    }
}

pub(crate) fn what_cannot_be_recorded_says_why() {
    for (contender, words) in REFUSED {
        if let Some(recorded) = recorded(contender) {
            let reason = recorded.expect_err("it was recorded");
            assert!(words.iter().all(|of| reason.contains(of)), "{reason}");
        }
    }
}

pub(crate) fn no_run_measures_what_is_recorded() {
    let (_, list, _) = output(program(&["--list", "hop"]));
    assert!(list.contains("hop, placement=one core (record)\n"), "{list}");
    let (is_success, _, said) = output(program(&["--brief", "hops: nap"]));
    assert!(!is_success && said.contains("add --record"), "{said}");
}
