//! Tests `cargo book measure`, with a script in place of cargo that prints prepared runs. Files
//! must be written atomically, and the page must show the new run next to the reference
//! machine's.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::copy::{Copy, DATA, PAGE};
use findings::DataScope;
use measurement::Run;
use measurement::machine::Machine;
use measurement::named_machine::NamedMachine;
use pages::driver;

const OWN: &str = "data/local/tea/boil.jsonl";
const MACHINE: &str = "data/local/machine.json";

/// Returns the example book with a measurable chapter, and with a script that replaces cargo. The
/// script prints the run in two pieces.
fn book() -> Copy {
    let copy = Copy::new();
    copy.write("experiments/tea/src/main.rs", "");
    copy.write("status", "0");
    let script = "#!/bin/sh\necho asked: \"$@\" >&2\n[ $1 = run ] || exit 0\nhead -c 900 printed\nsleep 0.1\n\
                  tail -c +901 printed\nexit $(cat status)\n";
    copy.write("cargo", script);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(copy.path("cargo"), executable).unwrap();
    copy
}

/// Makes the script print the first run of the reference machine, as if `machine` had made it on
/// `day`.
fn print_run(copy: &Copy, machine: &str, day: &str) {
    let text = copy.read("data/kettle-1/tea/boil.jsonl");
    let run = text.split("\n{\"run\"").next().unwrap().replace("2026-10-30", day);
    let run = run.replace("\"profile\": \"full\"", "\"profile\": \"quick\"");
    let machine = format!("\"machine\": \"{machine}\"");
    copy.write("printed", &(run.replace("\"machine\": \"kettle-1\"", &machine) + "\n"));
}

/// Returns the command `cargo book measure` in a shell that runs the commands `first` before it.
fn command(copy: &Copy, first: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let shell = format!("{first} exec \"$@\"");
    command.args(["-c", &shell, "sh", env!("CARGO_BIN_EXE_book"), "measure"]).args(arguments);
    command.current_dir(copy.path("")).env("CARGO", copy.path("cargo"));
    command.env("HARNESS_LOCK_IN", copy.path(""));
    // A run that can't be saved is put into the copied book, and is removed with it.
    command.env("TMPDIR", copy.path(""));
    command
}

/// Runs `cargo book measure`. Returns the text on both of its streams, and its exit status.
fn measure_with(copy: &Copy, first: &str, arguments: &[&str]) -> (String, Output) {
    let output = command(copy, first, arguments).output().unwrap();
    let said = [&output.stderr[..], &output.stdout].concat();
    (String::from_utf8(said).unwrap(), output)
}

fn measure(copy: &Copy, arguments: &[&str]) -> String {
    let (said, output) = measure_with(copy, "", arguments);
    assert!(output.status.success(), "{said}");
    said
}

fn refused(copy: &Copy, arguments: &[&str], expected: &[&str]) -> String {
    let (said, output) = measure_with(copy, "", arguments);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for expected in expected {
        assert!(said.contains(expected), "{said} has no {expected:?}");
    }
    said
}

fn days(copy: &Copy, file: &str) -> Vec<String> {
    let runs = Run::parse_all(&copy.read(file)).unwrap();
    runs.iter().map(|run| run.header.day().to_owned()).collect()
}

/// Returns the run in the temporary file that the message `said` names, and removes the file.
fn kept(said: &str) -> String {
    let path = said.split("the run is kept in ").nth(1).expect(said).split(": ").next().unwrap();
    let text = fs::read_to_string(path).unwrap();
    fs::remove_file(path).unwrap();
    text
}

#[test]
fn the_page_shows_yours_beside_ours() {
    let copy = book();
    print_run(&copy, "local", "2026-10-28");
    let said = measure(&copy, &["tea"]);
    let asked = "asked: run --release --package tea --bin tea -- --json --tied --machine local\n";
    assert!(said.contains(asked), "{said}");
    let html = copy.read("book/tea.html");
    assert!(html.contains("yours: full only"), "an unnamed claim is judged on a quick run: {html}");

    let named = "replicates = \"grandma.tea\"\nquick = true\n";
    copy.change(PAGE, "replicates = \"grandma.tea\"\n", named);
    print_run(&copy, "local", "2026-10-29");
    let said = measure(&copy, &["tea/boil", "--full"]);
    assert!(said.contains("--machine local --full boil: \n"), "{said}");
    assert!(said.contains(&format!("Wrote {OWN}")), "{said}");
    assert_eq!(days(&copy, OWN), ["2026-10-28", "2026-10-29"]);
    let html = copy.read("book/tea.html");
    let yours = html.split("class=\"measured-yours\"").nth(1).expect("numbers show yours");
    assert!(yours.contains("(yours: "), "{yours}");
    for expected in [
        "kettle, yours",
        "Yours, in 2 runs, the last on 2026-10-29.",
        "; yours: 2.01 (mean 1.99 to 2.02); by runs of an older version, which do not count",
    ] {
        assert!(html.contains(expected), "{html} has no {expected:?}");
    }
    // The reader's own runs don't influence how the runs in the repository are judged.
    let (pages, _) = driver::expand(&copy.path(""), DataScope::Committed).unwrap();
    assert!(!pages[0].expanded.contains("yours"));

    print_run(&copy, "kettle-2", "2026-10-29");
    let said = measure(&copy, &["--machine", "kettle-2"]);
    assert!(said.contains("The pages call this machine \""), "{said}");
    assert_eq!(days(&copy, "data/kettle-2/tea/boil.jsonl"), ["2026-10-29"]);
    let second = NamedMachine::parse(&copy.read("data/kettle-2/machine.json")).unwrap();
    // If two machines had the same name, readers could not tell them apart.
    print_run(&copy, "kettle-3", "2026-10-29");
    measure(&copy, &["--machine", "kettle-3"]);
    let third = NamedMachine::parse(&copy.read("data/kettle-3/machine.json")).unwrap();
    assert_eq!(third.short, format!("{}, kettle-3", second.short));
}

#[test]
fn what_cannot_be_measured_changes_nothing() {
    let copy = book();
    print_run(&copy, "local", "2026-10-28");
    refused(&copy, &["tee"], &["no chapter is called \"tee\"; the nearest:\n    tea"]);
    refused(&copy, &["tea", "--machine", "../x"], &["is not a name"]);
    refused(&copy, &["tea", "--machine", "published"], &["is no machine"]);
    refused(&copy, &["tea/brew"], &["printed the run of \"boil\", too"]);
    refused(&copy, &["--machine", "kettle-2"], &["tea printed the run of (\"tea\", \"local\")"]);
    copy.write("status", "3");
    refused(&copy, &["tea"], &["measuring tea failed"]);
    copy.write("status", "0");
    let whole = copy.read("printed");
    copy.write("printed", &whole[..whole.len() / 2]);
    let said = refused(&copy, &["tea"], &["what tea printed is no run: line "]);
    assert!(kept(&said).contains("kettle"));
    copy.write("printed", &whole);
    assert!(!copy.path("data/local").exists());
    // Unreadable files, and files where a directory should be, aren't overwritten.
    copy.write(OWN, "{\n");
    refused(&copy, &["tea"], &["data/local/tea/boil.jsonl:1: ", "mend or remove it"]);
    assert_eq!(copy.read(OWN), "{\n");
    fs::remove_dir_all(copy.path("data/local/tea")).unwrap();
    copy.write("data/local/tea", "a file");
    let said = refused(&copy, &["tea"], &["data/local/tea cannot be written, so nothing is"]);
    assert!(!said.contains("asked: "), "{said}");
}

#[test]
fn another_boot_is_the_same_machine_and_another_processor_is_not() {
    let copy = book();
    print_run(&copy, "local", "2026-10-28");
    measure(&copy, &[]);
    let this = copy.read(MACHINE);
    let machine = NamedMachine::parse(&this).unwrap();

    // machine.json may contain a better name for the machine that somebody entered by hand.
    let named = NamedMachine { name: "my kettle".to_owned(), ..machine };
    let with = |facts: Machine| NamedMachine { facts, ..named.clone() };
    let (kernel, idle) = (Some("2.0.1".to_owned()), Some("kettle_idle".to_owned()));
    let earlier = with(Machine { kernel, idle_driver: idle, ..named.facts.clone() });
    copy.write(MACHINE, &earlier.to_json());
    print_run(&copy, "local", "2026-10-29");
    let said = measure(&copy, &[]);
    for gone in ["\n    -  \"kernel\": \"2.0.1\"\n", "\n    -  \"idle_driver\": \"kettle_idle\"\n"]
    {
        assert!(said.contains(gone), "{said}");
    }
    assert!(said.contains("\n    +  \"kernel\": "), "{said}");
    assert_eq!(copy.read(MACHINE), named.to_json(), "it is described anew, by its name");

    let other =
        with(Machine { cpu: "Kettle, family 6".to_owned(), ..named.facts.clone() }).to_json();
    copy.write(MACHINE, &other);
    print_run(&copy, "local", "2026-10-30");
    let cpu = " × Kettle, family 6\", and this computer's is ";
    let whose = format!("{MACHINE}: the runs there are of another processor, \"");
    refused(&copy, &[], &[&whose, cpu, "--machine NAME"]);
    assert_eq!(days(&copy, OWN), ["2026-10-28", "2026-10-29"]);
    assert_eq!(copy.read(MACHINE), other);
}

#[test]
fn a_chapter_that_fails_stops_no_other_and_the_end_says_so() {
    let copy = book();
    copy.write("experiments/brew/src/main.rs", "");
    copy.write("cargo", &copy.read("cargo").replace("head -c", "[ $4 = tea ] || exit 3\nhead -c"));
    print_run(&copy, "local", "2026-10-28");
    let failed = [
        "measuring brew failed: exit status: 3",
        "Wrote data/local/tea/boil.jsonl",
        "not measured, as said above: brew/leaves\n",
    ];
    refused(&copy, &["brew/leaves", "tea"], &failed);
    assert_eq!(days(&copy, OWN), ["2026-10-28"]);
    assert!(copy.read("book/tea.html").contains("yours"));
}

#[test]
fn what_the_next_build_would_refuse_is_not_written() {
    let copy = book();
    print_run(&copy, "local", "2026-10-28");
    measure(&copy, &[]);
    let before = copy.read(OWN);
    for day in ["2026-10-28", "2026-10-27"] {
        print_run(&copy, "local", day);
        let wrong = "data/local/tea/boil.jsonl:7: the run of 2026";
        let said = refused(&copy, &[], &[wrong, "it can't stand there"]);
        assert_eq!(kept(&said), copy.read("printed"));
        assert_eq!(copy.read(OWN), before);
    }
    // The clock is checked before anything is measured.
    copy.write(OWN, &before.replace("2026-10-28", "2999-10-28"));
    let said =
        refused(&copy, &[], &["its last run began at 2999-10-28T10:12:00Z", "set the clock"]);
    assert!(!said.contains("asked: "), "{said}");
}

#[test]
fn where_nothing_can_be_written_nothing_is_measured() {
    let copy = book();
    fs::rename(copy.path("data"), copy.path("elsewhere")).unwrap();
    copy.write("data", "a file");
    let said = refused(&copy, &[], &["/data cannot be written, so nothing is measured"]);
    assert!(!said.contains("asked: "), "{said}");

    // There is too little room on the disk.
    fs::remove_file(copy.path("data")).unwrap();
    fs::rename(copy.path("elsewhere"), copy.path("data")).unwrap();
    let full = "trap '' XFSZ; ulimit -f 100;";
    let (said, output) = measure_with(&copy, full, &["tea"]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("data cannot be written, so nothing is measured: File too"), "{said}");
    assert!(!said.contains("asked: "), "{said}");
    assert_eq!(leftovers(&copy), 0);
}

/// The directory for the reader's own runs may be on another file system, such as a volume of a
/// container.
#[cfg(target_os = "linux")]
#[test]
fn own_runs_may_be_on_another_file_system() {
    use std::os::unix::fs::MetadataExt;
    let copy = book();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    let Ok(volume) = tempfile::tempdir_in("/dev/shm") else {
        return println!("skipped: nothing can be written to /dev/shm");
    };
    if device(volume.path()) == device(&copy.path("data")) {
        return println!("skipped: /dev/shm is on the same file system as temporary files");
    }
    std::os::unix::fs::symlink(volume.path(), copy.path("data/local")).unwrap();
    print_run(&copy, "local", "2026-10-28");
    measure(&copy, &[]);
    assert_eq!(days(&copy, OWN), ["2026-10-28"]);
    assert!(volume.path().join("tea/boil.jsonl").exists());
}

#[test]
fn what_nobody_reads_ends_no_command() {
    let copy = book();
    print_run(&copy, "local", "2026-10-28");
    for arguments in [&["measure"][..], &[], &["claims"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.args(arguments).current_dir(copy.path("")).env("CARGO", copy.path("cargo"));
        command.env("HARNESS_LOCK_IN", copy.path(""));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
    assert_eq!(days(&copy, OWN), ["2026-10-28"]);
}

#[test]
fn two_runs_at_once_wait_for_each_other() {
    let copy = book();
    print_run(&copy, "local", "2026-10-28");
    let other = fs::File::create(copy.path("threads-tasks-and-cores.lock")).unwrap();
    other.lock().unwrap();
    let mut command = command(&copy, "", &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line == "waiting for another run to end"));
    thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    drop(other);
    let asked: Vec<String> = said.filter(|line| line.starts_with("asked: ")).collect();
    assert!(
        asked[0].starts_with("asked: build ") && asked[1].starts_with("asked: run "),
        "{asked:?}"
    );
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(days(&copy, OWN), ["2026-10-28"]);
}

fn names(copy: &Copy, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(copy.path(directory)).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn leftovers(copy: &Copy) -> usize {
    let directories = ["data", "data/local", "data/local/tea"];
    let names = directories.into_iter().flat_map(|of| names(copy, of));
    names.filter(|name| name.starts_with(".being-written-")).count()
}

#[test]
fn on_a_full_disk_data_are_as_before() {
    let copy = book();
    // The file-size limit set below must be too small for the long file of runs, but large enough
    // for machine.json and for the check for free space.
    let text = copy.read(DATA);
    let failed = text.lines().find(|line| line.contains("there is no socket")).unwrap();
    let long = failed.replace("there is no socket", &"there is no socket ".repeat(500));
    let row = |litres| long.replace("\"litres\": 1", &format!("\"litres\": {litres}"));
    copy.write(DATA, &text.replace(failed, &(1..=30).map(row).collect::<Vec<_>>().join("\n")));
    print_run(&copy, "local", "2026-10-28");
    measure(&copy, &[]);
    // Limits the size of each file, in POSIX blocks of 512 bytes.
    let limit = format!("ulimit -c 0; ulimit -f {};", (copy.read(OWN).len() - 1) / 512);
    print_run(&copy, "local", "2026-10-29");
    let before = [OWN, MACHINE].map(|file| copy.read(file));
    let as_before = || {
        assert!([OWN, MACHINE].map(|file| copy.read(file)) == before);
        for (directory, files) in [("data/local", 2), ("data/local/tea", 1)] {
            let found = names(&copy, directory).into_iter().filter(|name| !name.starts_with('.'));
            assert_eq!(found.count(), files, "something half written is in {directory}");
        }
    };

    // Writing to the disk fails, first on a machine that has runs, then on a new one.
    let fails = format!("trap '' XFSZ; {limit}");
    for machine in ["local", "kettle-2"] {
        print_run(&copy, machine, "2026-10-29");
        let (said, output) = measure_with(&copy, &fails, &["--machine", machine]);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let wrong = format!("data/{machine}/tea/boil.jsonl cannot be written: File too large");
        let printed = "data/ is as it was; the run is printed above";
        assert!(said.contains(&wrong) && said.contains(printed), "{wrong}");
        let run = copy.read("printed");
        assert!(String::from_utf8(output.stdout).unwrap().contains(&run), "the run is lost");
        as_before();
        assert!(leftovers(&copy) == 0 && !copy.path("data/kettle-2").exists());
    }

    // The process is killed while it writes to the disk. The unfinished files that it leaves
    // behind must do no harm.
    print_run(&copy, "local", "2026-10-29");
    let (said, output) = measure_with(&copy, &limit, &[]);
    assert!(output.status.signal().is_some(), "{}: {said}", output.status);
    as_before();
    assert_eq!(leftovers(&copy), 1);
    measure(&copy, &[]);
}
