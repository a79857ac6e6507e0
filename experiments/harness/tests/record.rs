//! Recordings, as `--record` makes them: this test starts itself as the program of a chapter that is
//! recorded. Where the kernel does not let it record, what it says instead is what is tested.

use std::fs::{self, File, Permissions};
use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use harness::{
    stamp, Body, Cell, Chapter, Experiment, Party, Placement, RecordingPlan,
};
use libtest_mimic::{Arguments, Trial};
use recordings::recording::Recorded;
use recordings::RecordingRun;

/// Makes this process the chapter's program.
const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

const HOPS: u64 = 50;

/// So long that the kernel's events are recorded.
const LONG: Duration = Duration::from_micros(20);

/// What cannot be recorded, and what is said of it.
const REFUSED: [(&str, [&str; 2]); 3] = [
    ("short call", ["under 5 µs", "stamps"]),
    ("many calls", ["events were lost", "in_batches_of"]),
    ("no waking", ["no nothing was found", "none began and ended"]),
];

fn chapter() -> Chapter {
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
    let experiment = Experiment::new("hops", "time per hop", "hop")
        .cell(hops)
        .cell(one("short call", write, call(100)))
        .cell(one("many calls", write, call(50_000)))
        .cell(one("nap", nap, stamped()))
        .cell(one("short", short, stamped()))
        .cell(one("no waking", write, missing))
        .cell(Cell::new("not recorded", 1, Body::here(|| || 1)));
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    Chapter::new(name, package, vec![experiment])
}

/// A byte goes to and fro between this thread and another.
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

/// Whether a byte has come, with which there is some work.
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

fn this() -> PathBuf {
    std::env::current_exe().expect("this test has a path")
}

/// What a command records that starts this test.
fn run_of(mut command: Command) -> RecordingRun {
    let command = command.env(PROGRAM, "1").args(["--record", "--json"]);
    let output = command.output().expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).expect("JSON is text");
    let mut runs = RecordingRun::parse_all(&text).expect("it is a run");
    assert_eq!(runs.len(), 1, "{said}");
    runs.remove(0)
}

/// One run for all tests.
static RUN: LazyLock<RecordingRun> =
    LazyLock::new(|| run_of(Command::new(this())));

/// What was recorded of a cell, or why it was not; `None` if recording is not permitted here, which says what
/// to do.
fn recorded(
    contender: &str,
) -> Option<Result<&'static Recorded, &'static str>> {
    let mut recordings = RUN.recordings.iter();
    let of_it = recordings.find(|of| of.contender == contender);
    let recorded = of_it.expect("each cell has its line").recorded();
    let may_not = |reason: &str| reason.contains("as root");
    (!recorded.is_err_and(may_not)).then_some(recorded)
}

fn an_operation_has_the_steps_of_its_plan() {
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
            // On a busy machine the reader may not run when it is woken, now so and then so.
            Some(Err(reason))
                if reason.contains("no half of the 5 processes") =>
            {
                continue
            }
            Some(Err(reason)) => panic!("{contender}: {reason}"),
            // For stamps alone no privilege is needed.
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

fn what_cannot_be_recorded_says_why() {
    for (contender, words) in REFUSED {
        if let Some(recorded) = recorded(contender) {
            let reason = recorded.expect_err("it was recorded");
            assert!(words.iter().all(|of| reason.contains(of)), "{reason}");
        }
    }
}

fn no_run_measures_what_is_recorded() {
    let says = |arguments: [&str; 2]| {
        let mut program = Command::new(this());
        let output =
            program.env(PROGRAM, "1").args(arguments).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (
            output.status.success(),
            said + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (_, list) = says(["--list", "hop"]);
    assert!(list.contains("hop, placement=one core (record)\n"), "{list}");
    let (is_success, said) = says(["--brief", "hops: nap"]);
    assert!(!is_success && said.contains("add --record"), "{said}");
}

/// Where this is no root, the others have tested it.
fn who_may_not_record_is_told_what_to_do() {
    if !is_root() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("program");
    fs::copy(this(), &copy).unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    let nobody = 65_534;
    let mut by_nobody = Command::new(copy);
    by_nobody.current_dir("/").uid(nobody).gid(nobody);
    // In a mount namespace of its own it sees no tracefs.
    let hidden = "umount --all --types tracefs,debugfs && exec \"$@\"";
    let unshare = |program: &Path| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "sh", "-c", hidden, "sh"]).arg(program);
        unshare
    };
    let may = unshare(Path::new("true")).output();
    let may = may.is_ok_and(|of| of.status.success());
    let without = may.then(|| (unshare(&this()), "mount -t tracefs"));
    for (command, reason) in [(by_nobody, "as root")].into_iter().chain(without)
    {
        let run = run_of(command);
        for recording in
            run.recordings.iter().filter(|of| of.contender != "short")
        {
            let said = recording.recorded().unwrap_err();
            assert!(said.contains(reason), "{said}");
        }
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn main() -> ExitCode {
    if std::env::var_os(PROGRAM).is_some() {
        return harness::main(chapter());
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(1);
    macro_rules! trials {
        ($($test:path),* $(,)?) => {
            vec![$(Trial::test(stringify!($test), || {
                $test();
                Ok(())
            })),*]
        };
    }
    let trials = trials![
        an_operation_has_the_steps_of_its_plan,
        what_cannot_be_recorded_says_why,
        no_run_measures_what_is_recorded,
        who_may_not_record_is_told_what_to_do,
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
