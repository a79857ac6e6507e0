//! A run of a chapter whose cells misbehave, as `cargo run` would do it: this test starts itself as
//! that chapter's program.

use std::io::Write;
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use harness::{Body, Cell, Chapter, Experiment};
use libtest_mimic::{Arguments, Failed, Trial};
use measurement::{Outcome, Row, Run};

/// Makes this process the chapter's program.
const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

const ANSWER: u64 = 42;

fn chapter() -> Chapter {
    let cell = |name: &str, operation: fn() -> u64| {
        Cell::new(name, ANSWER, Body::here(move || operation))
            .time_limit(Duration::from_secs(2))
    };
    let behaving = Experiment::new("behaving", "time per operation", "sleeps")
        .cell(cell("sleeps", || {
            std::thread::sleep(Duration::from_micros(200));
            ANSWER
        }))
        .cell(
            Cell::new("tokio", ANSWER, Body::tokio_worker(|| async { ANSWER }))
                .parameter("arm", "ours")
                .per(2),
        )
        .cell(cell("only in full", || ANSWER).full_only());
    let misbehaving =
        Experiment::new("misbehaving", "time per operation", "panics")
            .cell(cell("panics", || panic!("out of cheese")))
            .cell(cell("aborts", || std::process::abort()))
            .cell(cell("hangs", || loop {
                std::thread::sleep(Duration::from_secs(1));
            }))
            .cell(cell("is wrong", || 41))
            .cell(cell("is wrong at times", || {
                static CALLS: AtomicU64 = AtomicU64::new(0);
                ANSWER - u64::from(CALLS.fetch_add(1, Ordering::Relaxed) == 2)
            }))
            .cell(cell("is killed later", || {
                static CALLS: AtomicU64 = AtomicU64::new(0);
                std::thread::sleep(Duration::from_millis(1));
                if CALLS.fetch_add(1, Ordering::Relaxed) == 100 {
                    kill_this_process();
                }
                ANSWER
            }));
    let package = env!("CARGO_MANIFEST_DIR");
    Chapter::new("harness", package, &["tokio"], vec![behaving, misbehaving])
}

fn kill_this_process() -> ! {
    let id = std::process::id().to_string();
    drop(Command::new("kill").args(["-9", &id]).status());
    unreachable!("kill -9 is not survived")
}

fn program(arguments: &[&str]) -> Output {
    let this = std::env::current_exe().expect("this test has a path");
    let output = Command::new(this).env(PROGRAM, "1").args(arguments).output();
    output.expect("this test can be started")
}

/// One run for all tests.
static RUN: LazyLock<(Run, String)> = LazyLock::new(|| {
    let output = program(&["--json"]);
    let errors = String::from_utf8(output.stderr).expect("messages are text");
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("JSON is text");
    (Run::parse(&text).expect("the run is valid"), errors)
});

fn row(contender: &str) -> &'static Row {
    let row = RUN.0.rows.iter().find(|row| row.contender == contender);
    row.unwrap_or_else(|| panic!("no row of {contender:?}"))
}

fn check(
    holds: bool,
    otherwise: impl FnOnce() -> String,
) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(otherwise().into())
    }
}

fn fails_with(contender: &str, reason: &str) -> Result<(), Failed> {
    match &row(contender).outcome {
        Outcome::Failed(found) if found.contains(reason) => Ok(()),
        other => Err(format!("{contender}: {other:?}, not {reason:?}").into()),
    }
}

fn a_cell_that_behaves_has_a_point_for_every_visit() -> Result<(), Failed> {
    let measured = row("sleeps").measured().ok_or("it failed")?;
    check(measured.points.len() == 15, || format!("{measured:?}"))?;
    let plausible = 200e3..20e6;
    check(plausible.contains(&measured.estimate), || format!("{measured:?}"))?;
    let measured = row("tokio").measured().ok_or("it failed")?;
    check(measured.points.len() == 15, || format!("{measured:?}"))
}

fn quick_leaves_out_what_is_for_full() -> Result<(), Failed> {
    let found = RUN.0.rows.iter().any(|row| row.contender == "only in full");
    check(!found, || "it was measured".to_owned())
}

fn a_cell_that_dies_midway_costs_no_other_cell_a_point() -> Result<(), Failed> {
    // The name of the signal is the system's, its number is not.
    fails_with("is killed later", "signal: 9")?;
    a_cell_that_behaves_has_a_point_for_every_visit()
}

fn the_header_says_what_was_measured() -> Result<(), Failed> {
    let header = &RUN.0.header;
    check(header.chapter == "harness" && header.machine == "local", || {
        format!("{header:?}")
    })?;
    check(header.processes == 3, || format!("{header:?}"))?;
    check(header.crates.contains_key("tokio"), || format!("{header:?}"))?;
    let classes: Vec<_> = header.floor.keys().collect();
    check(classes == ["multi-thread", "single-thread", "thread-spawn"], || {
        format!("{classes:?}")
    })
}

fn failures_are_said_on_the_way() -> Result<(), Failed> {
    let said = "failed: misbehaving: panics: panicked: out of cheese";
    check(RUN.1.contains(said), || RUN.1.clone())
}

fn a_filter_that_fits_nothing_is_an_error() -> Result<(), Failed> {
    let output = program(&["no such cell"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    check(output.status.code() == Some(1) && errors.contains("--list"), || {
        errors
    })
}

fn a_machine_s_name_cannot_leave_the_data_directory() -> Result<(), Failed> {
    let output = program(&["--json", "--machine", "../elsewhere"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    check(!output.status.success() && errors.contains("is not a name"), || {
        errors
    })
}

fn verify_names_what_is_wrong() -> Result<(), Failed> {
    let wrong = Chapter::new(
        "harness",
        env!("CARGO_MANIFEST_DIR"),
        &[],
        vec![Experiment::new("sum", "time per operation", "a")
            .cell(Cell::new("a", 1, Body::here(|| || 1)))
            .cell(Cell::new("b", 1, Body::here(|| || 2)))],
    );
    let expected = "sum: b: the operations returned 2, the right answer is 1";
    let found = wrong.verify();
    check(found == Err(expected.to_owned()), || format!("{found:?}"))
}

fn the_floor_alone_measures_nothing_else() -> Result<(), Failed> {
    let output = program(&["--floor"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    check(output.status.success(), || errors.clone())?;
    check(errors.contains("0 cells"), || errors)?;
    check(said.contains("Identical contenders differed by up to"), || {
        said.clone()
    })?;
    check(!said.contains("sleeps"), || said)
}

/// The child reads its requests from the parent; when that is gone, so is the child.
fn a_child_does_not_outlive_its_parent() -> Result<(), Failed> {
    let this = std::env::current_exe().expect("this test has a path");
    let child = Command::new(this)
        .env(PROGRAM, "1")
        .arg("--child")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut child = child.expect("this test can be started");
    let outcome = ends_with_its_input(&mut child);
    drop(child.kill());
    child.wait()?;
    outcome
}

fn ends_with_its_input(child: &mut Child) -> Result<(), Failed> {
    let mut stdin = child.stdin.take().expect("stdin is piped");
    // The cell that hangs: the sixth of all.
    let request = r#"{"Calibrate":{"cell":5,"sample_ns":1e6}}"#;
    writeln!(stdin, "{request}")?;
    std::thread::sleep(Duration::from_millis(200));
    let hangs = child.try_wait()?.is_none();
    check(hangs, || "it does not hang".to_owned())?;
    drop(stdin);
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("it went on for ten seconds".into())
}

/// `cargo book measure` starts it tied, so that it ends with it.
fn a_tied_program_ends_with_its_input() -> Result<(), Failed> {
    let this = std::env::current_exe().expect("this test has a path");
    let child = Command::new(this)
        .env(PROGRAM, "1")
        .args(["--json", "--tied"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("this test can be started");
    std::thread::sleep(Duration::from_millis(300));
    let begun = child.try_wait()?.is_none();
    drop(child.stdin.take());
    std::thread::sleep(Duration::from_millis(500));
    let ended = child.try_wait()?.is_some();
    drop(child.kill());
    child.wait()?;
    check(begun && ended, || format!("begun {begun}, ended {ended}"))
}

fn main() -> ExitCode {
    if std::env::var_os(PROGRAM).is_some() {
        return harness::main(chapter());
    }
    let arguments = Arguments::from_args();
    macro_rules! trials {
        ($($test:path),* $(,)?) => {
            vec![$(Trial::test(stringify!($test), || $test())),*]
        };
    }
    let mut trials = trials![
        a_cell_that_behaves_has_a_point_for_every_visit,
        quick_leaves_out_what_is_for_full,
        a_cell_that_dies_midway_costs_no_other_cell_a_point,
        the_header_says_what_was_measured,
        failures_are_said_on_the_way,
        a_filter_that_fits_nothing_is_an_error,
        a_machine_s_name_cannot_leave_the_data_directory,
        verify_names_what_is_wrong,
        the_floor_alone_measures_nothing_else,
        a_child_does_not_outlive_its_parent,
        a_tied_program_ends_with_its_input,
    ];
    for (contender, reason) in [
        ("panics", "panicked: out of cheese"),
        ("aborts", "signal: 6"),
        ("hangs", "gave no answer within 2 s"),
        ("is wrong", "returned 41, the right answer is 42"),
        ("is wrong at times", "returned different answers"),
    ] {
        trials.push(Trial::test(
            format!("a cell that {contender} is a row with the reason"),
            move || fails_with(contender, reason),
        ));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
