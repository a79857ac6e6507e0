//! Recordings, as `--record` makes them: this test starts itself as the program of a chapter that is
//! recorded. Where the kernel does not let it record, what it says instead is what is tested.

use std::fs::{self, File};
use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use harness::{
    stamp, Body, Cell, Chapter, Experiment, Party, Placement, RecordingPlan,
};
use libtest_mimic::{Arguments, Failed, Trial};
use measurement::{Outcome, Parameter};
use recordings::recording::{Recorded, LEFT_OVER, STEP, WHOLE};
use recordings::RecordingRun;

/// Makes this process the chapter's program.
const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

const HOPS: u64 = 50;

/// So long that the kernel's events are recorded.
const LONG: Duration = Duration::from_micros(20);

fn chapter() -> Chapter {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let hop = RecordingPlan::of(
        "hop",
        ["writer", "reader"],
        "write",
        writer.enters("write"),
    )
    .until("waking", writer.wakes())
    .until_perhaps("interrupt", writer.interrupts())
    .until("running", reader.runs())
    .until("return", reader.returns_from("read"))
    .until("work", reader.stamps("work"));
    let call = |batch| {
        RecordingPlan::of(
            "call",
            ["writer", "nobody"],
            "write",
            writer.enters("write"),
        )
        .until("return", writer.returns_from("write"))
        .in_batches_of(batch)
    };
    let stamped = || {
        RecordingPlan::of(
            "nap",
            ["sleeper", "nobody"],
            "begin",
            writer.stamps("begin"),
        )
        .until_perhaps("write", writer.enters("write"))
        .until("end", writer.stamps("end"))
    };
    let nap = || {
        stamp("begin");
        std::thread::sleep(Duration::from_micros(50));
        stamp("end");
        1
    };
    let short = || {
        stamp("begin");
        let written = write();
        stamp("end");
        written
    };
    let missing = RecordingPlan::of(
        "nothing",
        ["one", "other"],
        "write",
        writer.enters("write"),
    )
    .until("waking", writer.wakes());
    let one = |name, operation: fn() -> u64, plan| {
        Cell::new(name, 1, Body::here(move || operation)).recorded(plan)
    };
    let experiment = Experiment::new("hops", "time per hop", "hop")
        .cell(
            Cell::new("hop", HOPS, Body::here(hops))
                .per(2 * HOPS)
                .placement(Placement::OneCore)
                .recorded(hop),
        )
        .cell(one("call", write, call(100)))
        .cell(one("many", write, call(50_000)))
        .cell(one("nap", nap, stamped()))
        .cell(one("short", short, stamped()))
        .cell(one("missing", write, missing))
        .cell(Cell::new("not recorded", 1, Body::here(|| || 1)));
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    Chapter::new(name, package, vec![experiment])
}

/// A byte goes to and fro between this thread and another.
fn hops() -> impl FnMut() -> u64 {
    let (mut arriving, mut there) = pipe().expect("there are pipes");
    let (mut back, mut returning) = pipe().expect("there are pipes");
    std::thread::spawn(move || {
        while read(&mut arriving) {
            give(&mut returning);
        }
    });
    move || {
        for _ in 0..HOPS {
            give(&mut there);
            assert!(read(&mut back), "the other thread lives");
        }
        HOPS
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

fn program(arguments: &[&str]) -> Command {
    let this = std::env::current_exe().expect("this test has a path");
    let mut command = Command::new(this);
    command.env(PROGRAM, "1").args(arguments);
    command
}

/// One run for all tests.
static RUN: LazyLock<RecordingRun> = LazyLock::new(|| {
    let output = program(&["--record", "--json"]).output();
    run_in(output.expect("this test can be started"))
});

fn run_in(output: Output) -> RecordingRun {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).expect("JSON is text");
    let mut runs = RecordingRun::parse_all(&text).expect("it is a run");
    assert_eq!(runs.len(), 1, "{said}");
    assert_eq!(runs[0].to_json_lines(), text);
    runs.remove(0)
}

/// What was recorded of a cell, or why it was not.
fn recorded(contender: &str) -> Result<&'static Recorded, &'static str> {
    let recordings = RUN.recordings.iter();
    let mut of_it = recordings.filter(|of| of.contender == contender);
    of_it.next().expect("each cell has its line").recorded()
}

/// Whether the reason is that recording is not permitted here, which says what to do.
fn is_not_permitted(reason: &str) -> bool {
    reason.contains("as root")
}

/// The same, or the test fails.
fn if_permitted(contender: &str) -> Result<Option<&'static Recorded>, Failed> {
    match recorded(contender) {
        Ok(recorded) => Ok(Some(recorded)),
        Err(reason) if is_not_permitted(reason) => Ok(None),
        Err(reason) => Err(reason.into()),
    }
}

fn check(holds: bool, otherwise: impl Into<Failed>) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(otherwise.into())
    }
}

fn the_steps_add_up_to_the_operation() -> Result<(), Failed> {
    for contender in ["hop", "nap", "short"] {
        let Some(recorded) = if_permitted(contender)? else { continue };
        let shown = &recorded.shown;
        let sum: u64 = shown.steps.iter().sum();
        check(sum == shown.length, format!("{sum} ns of {}", shown.length))?;
        let recording =
            RUN.recordings.iter().find(|of| of.contender == contender);
        let rows = recording.expect("it was found").rows("hops");
        let of_steps = rows.iter().filter_map(|row| {
            let Some(Parameter::Text(step)) = row.parameters.get(STEP) else {
                return None;
            };
            Some((step.as_str(), row.measured()?))
        });
        let (whole, parts): (Vec<_>, Vec<_>) =
            of_steps.partition(|(step, _)| *step == WHOLE);
        check(parts.iter().any(|(step, _)| *step == LEFT_OVER), contender)?;
        for process in 0..recorded.lengths.len() {
            let sum: f64 = parts.iter().map(|(_, of)| of.points[process]).sum();
            let whole = whole[0].1.points[process];
            check((sum - whole).abs() < 1e-6, format!("{sum} of {whole}"))?;
        }
    }
    Ok(())
}

fn a_hop_has_the_steps_of_its_plan() -> Result<(), Failed> {
    let Some(recorded) = if_permitted("hop")? else { return Ok(()) };
    let names = recorded.steps.iter().map(|step| step.name.as_str());
    let names: Vec<_> = names.collect();
    let expected = [
        "write to waking",
        "waking to running",
        "running to return",
        "return to work",
    ];
    check(names == expected, format!("{names:?}"))?;
    check(recorded.shown.units == ["writer", "reader"], "other units")?;
    check(recorded.shown.cores.len() == 1, "one core runs both")?;
    check(recorded.shown.wakes.len() == 1, "one wakes the other")
}

fn stamps_are_recorded_beside_the_kernel_s_events() -> Result<(), Failed> {
    let Some(recorded) = if_permitted("nap")? else { return Ok(()) };
    check(!recorded.stamps_only, "the kernel's events are missing")?;
    check(recorded.steps[0].name == "begin to end", "another step")?;
    check(recorded.few_events == [2.0; 5], "nothing else is recorded")
}

fn what_is_short_is_recorded_by_stamps_alone() -> Result<(), Failed> {
    // No privilege is needed for that.
    let recorded = recorded("short")?;
    check(recorded.stamps_only, "the kernel's events are there")?;
    check(recorded.shown.cores.is_empty(), "the kernel's events are there")?;
    check(recorded.steps[0].name == "begin to end", "another step")?;
    check(recorded.steps.len() == 1, "a step ends with an event")
}

fn what_is_short_and_not_stamped_is_refused() -> Result<(), Failed> {
    let reason = recorded("call").err().unwrap_or("it was recorded");
    let is_said = reason.contains("under 5 µs") && reason.contains("stamps");
    check(is_said || is_not_permitted(reason), reason)
}

fn no_run_measures_what_is_recorded() -> Result<(), Failed> {
    let list = program(&["--list"]).output()?;
    let list = String::from_utf8(list.stdout)?;
    check(list.contains("hop, placement=one core (record)\n"), list)?;
    let output = program(&["--brief", "--json", "hops: nap"]).output()?;
    let said = String::from_utf8(output.stderr)?;
    let is_refused = !output.status.success() && said.contains("add --record");
    check(is_refused, said)
}

fn lost_events_are_refused() -> Result<(), Failed> {
    let reason = recorded("many").err().unwrap_or("it was recorded");
    let is_said = reason.contains("events were lost");
    check(is_said || is_not_permitted(reason), reason)
}

fn what_is_not_found_is_said() -> Result<(), Failed> {
    let reason = recorded("missing").err().unwrap_or("it was recorded");
    let is_said = reason.contains("no nothing was found");
    check(is_said || is_not_permitted(reason), reason)
}

/// Where this is no root, everything above has tested it.
fn who_may_not_record_is_told_what_to_do() -> Result<(), Failed> {
    if !is_root() {
        return Ok(());
    }
    let place = tempfile::tempdir()?;
    let this = place.path().join("program");
    fs::copy(std::env::current_exe()?, &this)?;
    readable(place.path())?;
    let nobody = 65_534;
    let mut command = Command::new(this);
    command.env(PROGRAM, "1").args(["--record", "--json"]);
    let output = command.current_dir("/").uid(nobody).gid(nobody).output()?;
    all_say(&run_in(output), "as root")?;
    let rows = RUN.recordings[2].rows("hops");
    let is_failed = matches!(rows[0].outcome, Outcome::Failed(_));
    check(is_failed && rows.len() == 1, "what failed is one row")
}

/// In a mount namespace of its own it sees no tracefs.
fn without_tracefs_it_says_how_to_mount_it() -> Result<(), Failed> {
    let hidden = "umount --all --types tracefs,debugfs && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", hidden, "sh"]);
    let may = command.arg("true").output().is_ok_and(|of| of.status.success());
    if !may {
        // Not root, or one that may not do that: what is said then, the test above has seen.
        return Ok(());
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", hidden, "sh"]);
    command.arg(std::env::current_exe()?).args(["--record", "--json"]);
    let run = run_in(command.env(PROGRAM, "1").output()?);
    all_say(&run, "mount -t tracefs")
}

/// Whether all that needs the kernel's events says so.
fn all_say(run: &RecordingRun, reason: &str) -> Result<(), Failed> {
    let of_kernel = run.recordings.iter().filter(|of| of.contender != "short");
    for recording in of_kernel {
        match recording.recorded() {
            Err(said) if said.contains(reason) => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    Ok(())
}

fn a_killed_recorder_leaves_nothing_switched_on() -> Result<(), Failed> {
    if !is_root() {
        return Ok(());
    }
    let mut recorder = program(&["--record", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let patience = Instant::now() + Duration::from_secs(60);
    while recorders() == 0 && recorder.try_wait()?.is_none() {
        check(Instant::now() < patience, "it never recorded")?;
        std::thread::sleep(Duration::from_millis(1));
    }
    recorder.kill()?;
    recorder.wait()?;
    while recorders() > 0 {
        check(Instant::now() < patience, "its child went on recording")?;
        std::thread::sleep(Duration::from_millis(10));
    }
    for switch in ["events/enable", "events/sched/sched_switch/enable"] {
        let file = Path::new("/sys/kernel/tracing").join(switch);
        let state = fs::read_to_string(file).unwrap_or_default();
        let is_off = matches!(state.trim(), "" | "0");
        check(is_off, format!("{switch} is {state}"))?;
    }
    Ok(())
}

/// How many other processes of this program hold tracepoints.
fn recorders() -> usize {
    let this = std::env::current_exe().ok();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let records = |process: &fs::DirEntry| {
        let directory = process.path();
        let program = fs::read_link(directory.join("exe")).ok();
        let files = fs::read_dir(directory.join("fd"));
        let mut files = files.into_iter().flatten().flatten();
        program == this
            && files.any(|file| {
                let target = fs::read_link(file.path()).unwrap_or_default();
                target == Path::new("anon_inode:[perf_event]")
            })
    };
    processes.filter(records).count()
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Lets everybody into a directory.
fn readable(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755))
}

fn main() -> ExitCode {
    if std::env::var_os(PROGRAM).is_some() {
        return harness::main(chapter());
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(1);
    macro_rules! trials {
        ($($test:path),* $(,)?) => {
            vec![$(Trial::test(stringify!($test), || $test())),*]
        };
    }
    let trials = trials![
        the_steps_add_up_to_the_operation,
        a_hop_has_the_steps_of_its_plan,
        stamps_are_recorded_beside_the_kernel_s_events,
        what_is_short_is_recorded_by_stamps_alone,
        what_is_short_and_not_stamped_is_refused,
        no_run_measures_what_is_recorded,
        lost_events_are_refused,
        what_is_not_found_is_said,
        who_may_not_record_is_told_what_to_do,
        without_tracefs_it_says_how_to_mount_it,
        a_killed_recorder_leaves_nothing_switched_on,
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
