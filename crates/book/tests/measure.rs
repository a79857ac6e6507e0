//! `cargo book measure`, with a program that only pretends to measure: what is written is written
//! whole, and the page shows it beside the reference.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use mdbook_measured::{DataScope, driver};
use measurement::Run;
use measurement::machine::Machine;
use tempfile::TempDir;

/// A book with a package that prints a run, piece by piece.
fn book_with_program() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mdbook-measured/tests/fixture");
    let copy = |file: &str| {
        let target = root.path().join(file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(fixture.join(file), target).unwrap();
    };
    for file in [
        "book.toml",
        "src/SUMMARY.md",
        "src/tea.md",
        "data/published/claims.toml",
        "data/kettle-1/machine.json",
        "data/kettle-1/tea/boil.jsonl",
    ] {
        copy(file);
    }
    let package = root.path().join("experiments/tea");
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(
        root.path().join("Cargo.toml"),
        "[workspace]\nmembers = [\"experiments/*\"]\nresolver = \"3\"\n",
    )
    .unwrap();
    let manifest = "[package]\nname = \"tea\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // Prints the reference's rows as its own, twice the time, in pieces.
    let program = r##"
use std::io::Write;
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let machine = &arguments[arguments.iter().position(|a| a == "--machine").unwrap() + 1];
    let text = include_str!("../../../data/kettle-1/tea/boil.jsonl");
    // Its first run.
    let text = text.split("\n{\"run\"").next().unwrap().to_owned() + "\n";
    let text = text.replace("\"machine\": \"kettle-1\"", &format!("\"machine\": \"{machine}\""));
    let text = match arguments.iter().any(|a| a == "--full") {
        true => text,
        false => text.replace("\"profile\": \"full\"", "\"profile\": \"quick\""),
    };
    let text = match std::env::var("TEA_DAY") {
        Ok(day) => text.replace("2026-11-30", &day),
        Err(_) => text,
    };
    if let Some(at) = arguments.iter().position(|a| a == "--precision") {
        eprintln!("asked for {}", arguments[at + 1]);
    }
    if std::env::var_os("TEA_BROKEN").is_some() {
        println!("{}", &text[..text.len() / 2]);
        return;
    }
    if std::env::var_os("TEA_FAILS").is_some() {
        print!("{text}");
        std::process::exit(3);
    }
    for piece in text.as_bytes().chunks(200) {
        std::io::stdout().write_all(piece).unwrap();
        std::io::stdout().flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(15));
    }
}
"##;
    fs::write(package.join("src/main.rs"), program).unwrap();
    root
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.current_dir(root).arg("measure").args(arguments);
    command.env("CARGO_TARGET_DIR", root.join("target"));
    command
}

fn measure(root: &Path, arguments: &[&str]) -> Output {
    command(root, arguments).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn precision_is_the_program_s_to_reach() {
    let root = book_with_program();
    let output = measure(root.path(), &["tea", "--precision", "3%"]);
    assert!(output.status.success(), "{}", message(&output));
    assert!(message(&output).contains("asked for 3%"), "{}", message(&output));
}

#[test]
fn a_quick_run_judges_what_the_chapter_names() {
    let root = book_with_program();
    let output = measure(root.path(), &["tea"]);
    assert!(output.status.success(), "{}", message(&output));
    let html = fs::read_to_string(root.path().join("book/tea.html")).unwrap();
    assert!(html.contains("yours: full only"), "an unnamed claim is judged on a quick run: {html}");
}

#[test]
fn the_page_shows_yours_beside_ours() {
    let root = book_with_program();
    let page = root.path().join("src/tea.md");
    let text = fs::read_to_string(&page).unwrap();
    let named = "replicates = \"grandma.tea\"\nquick = true\n";
    fs::write(&page, text.replace("replicates = \"grandma.tea\"\n", named)).unwrap();
    let output = measure(root.path(), &["tea"]);
    assert!(output.status.success(), "{}", message(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("Wrote data/local/tea/boil.jsonl"), "{said}");
    let html = fs::read_to_string(root.path().join("book/tea.html")).unwrap();
    let yours = html.split("class=\"measured-yours\"").nth(1).expect("numbers show yours");
    assert!(yours.contains("(yours: "), "{yours}");
    assert!(html.contains("kettle, yours"), "the chart has no line of yours");
    assert!(html.contains("</span> yours (stale): ratio"), "the claim has no verdict on yours");
    // What is committed is judged without it.
    let pages = driver::expand(root.path(), DataScope::Committed).unwrap();
    assert!(!pages[0].expanded.contains("yours"));
}

#[test]
fn a_named_machine_gets_its_own_directory() {
    let root = book_with_program();
    let output = measure(root.path(), &["tea", "--machine", "kettle-2"]);
    assert!(output.status.success(), "{}", message(&output));
    let text = fs::read_to_string(root.path().join("data/kettle-2/tea/boil.jsonl")).unwrap();
    assert_eq!(Run::parse_all(&text).unwrap()[0].header.machine, "kettle-2");
    assert!(root.path().join("data/kettle-2/machine.json").is_file());
}

#[test]
fn what_cannot_be_measured_changes_nothing() {
    let root = book_with_program();
    let refused = |output: Output, expected: &str| {
        assert_eq!(output.status.code(), Some(1), "{}", message(&output));
        assert!(message(&output).contains(expected), "{}", message(&output));
        assert!(!root.path().join("data/local").exists());
    };
    refused(measure(root.path(), &["tee"]), "no chapter is called \"tee\"; the nearest:\n    tea");
    refused(measure(root.path(), &["tea", "--machine", "../x"]), "is not a name");
    refused(measure(root.path(), &["tea", "--machine", "published"]), "is no machine");
    let broken = command(root.path(), &["tea"]).env("TEA_BROKEN", "1").output().unwrap();
    let kept = kept(&message(&broken));
    refused(broken, "what tea printed is no run: line ");
    assert!(fs::read_to_string(&kept).unwrap().contains("kettle"));
    fs::remove_file(kept).unwrap();
    let failing = command(root.path(), &["tea"]).env("TEA_FAILS", "1").output().unwrap();
    refused(failing, "measuring tea failed");
}

#[test]
fn a_run_is_appended_to_those_that_are_there() {
    let root = book_with_program();
    let file = root.path().join("data/local/tea/boil.jsonl");
    for day in ["2026-11-28", "2026-11-29"] {
        let output = command(root.path(), &["tea/boil"]).env("TEA_DAY", day).output().unwrap();
        assert!(output.status.success(), "{}", message(&output));
    }
    let runs = Run::parse_all(&fs::read_to_string(&file).unwrap()).unwrap();
    let days: Vec<&str> = runs.iter().map(|run| run.header.day()).collect();
    assert_eq!(days, ["2026-11-28", "2026-11-29"]);
    let html = fs::read_to_string(root.path().join("book/tea.html")).unwrap();
    assert!(html.contains("yours, 2 runs, 2026-11-29"), "{html}");
    // Whoever asks for one experiment does not get another one.
    let output = measure(root.path(), &["tea/brew"]);
    assert!(message(&output).contains("printed the run of \"boil\", too"), "{}", message(&output));
    // What cannot be read is left alone.
    fs::write(&file, "{\n").unwrap();
    let output = measure(root.path(), &["tea"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(message(&output).contains("data/local/tea/boil.jsonl:1: "), "{}", message(&output));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n");
}

#[test]
fn another_boot_is_the_same_machine_and_another_processor_is_not() {
    let root = book_with_program();
    let on = |day: &str| command(root.path(), &["tea"]).env("TEA_DAY", day).output().unwrap();
    assert!(on("2026-11-28").status.success());
    let file = root.path().join("data/local/machine.json");
    let this = fs::read_to_string(&file).unwrap();
    let machine = Machine::parse(&this).unwrap();
    let days = || {
        let text = fs::read_to_string(root.path().join("data/local/tea/boil.jsonl")).unwrap();
        let runs = Run::parse_all(&text).unwrap();
        runs.iter().map(|run| run.header.day().to_owned()).collect::<Vec<_>>()
    };

    let earlier = Machine { kernel: Some("2.0.1".to_owned()), ..machine.clone() };
    fs::write(&file, earlier.to_json()).unwrap();
    let output = on("2026-11-29");
    assert!(output.status.success(), "{}", message(&output));
    assert!(message(&output).contains("\n    kernel: 2.0.1, now "), "{}", message(&output));
    assert_eq!(days(), ["2026-11-28", "2026-11-29"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), this, "it is described anew");

    let other = Machine { cpu: "Kettle, family 6, model 1".to_owned(), ..machine.clone() };
    fs::write(&file, other.to_json()).unwrap();
    let output = on("2026-11-30");
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    let cpus = machine.cpus;
    let said = format!(
        "data/local/machine.json: the runs there are of another processor, \"{cpus} × Kettle, family 6"
    );
    assert!(message(&output).contains(&said), "{}", message(&output));
    assert_eq!(days(), ["2026-11-28", "2026-11-29"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), other.to_json());
}

/// No file may grow to `limit` bytes, as if the disk were full. What the shell is told first decides
/// whether that is an error or, as is usual for this limit, kills.
#[cfg(unix)]
fn measure_with_little_room(root: &Path, first: &str, limit: usize, arguments: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    // What cargo would write has to do with nothing here: the program is built, and is just started.
    let cargo = root.join("cargo");
    let script = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec target/release/tea \"$@\"\n";
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    // In POSIX's blocks of 512 bytes; the largest that is too small.
    let shell = format!("{first} ulimit -c 0; ulimit -f {}; exec \"$@\"", (limit - 1) / 512);
    let mut command = Command::new("sh");
    command.current_dir(root).args(["-c", &shell, "sh", env!("CARGO_BIN_EXE_book"), "measure"]);
    command.args(arguments).env("CARGO", &cargo).output().unwrap()
}

#[cfg(unix)]
const NOTHING: [PathBuf; 0] = [];

/// What stays behind of files that were being written.
#[cfg(unix)]
fn leftovers(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("data")).unwrap().map(|entry| entry.unwrap().path());
    let staged = |path: &PathBuf| path.to_string_lossy().contains("/.being-written-");
    entries.filter(staged).collect()
}

#[cfg(unix)]
#[test]
fn on_a_full_disk_data_are_as_before() {
    use std::os::unix::process::ExitStatusExt;
    let root = book_with_program();
    // A run that is longer than any machine's description, which is to fit where it does not.
    let reference = root.path().join("data/kettle-1/tea/boil.jsonl");
    let run = fs::read_to_string(&reference).unwrap();
    let socket = "there is no socket";
    fs::write(&reference, run.replace(socket, &[socket; 300].join(", "))).unwrap();
    assert!(measure(root.path(), &["tea"]).status.success());
    let file = root.path().join("data/local/tea/boil.jsonl");
    let machine = root.path().join("data/local/machine.json");
    let limit = fs::read(&file).unwrap().len();
    // Both differ from what would be written, which is the run behind this one.
    let old = fs::read_to_string(&file).unwrap().replace("2026-11-30", "2025-01-01");
    fs::write(&file, &old).unwrap();
    fs::write(&machine, fs::read_to_string(&machine).unwrap() + "\n").unwrap();
    let old_machine = fs::read_to_string(&machine).unwrap();
    let as_before = || {
        assert!(fs::read_to_string(&file).unwrap() == old);
        assert_eq!(fs::read_to_string(&machine).unwrap(), old_machine);
        let files = fs::read_dir(root.path().join("data/local")).unwrap();
        assert_eq!(files.count(), 2, "something half written is beside them");
        let files = fs::read_dir(file.parent().unwrap()).unwrap();
        assert_eq!(files.count(), 1, "something half written is beside it");
    };

    // Writing fails.
    let said = "data/local/tea/boil.jsonl cannot be written: File too large";
    let output = measure_with_little_room(root.path(), "trap '' XFSZ;", limit, &["tea"]);
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    assert!(message(&output).contains(said), "{}", message(&output));
    assert!(message(&output).contains("data/ is as it was"), "{}", message(&output));
    as_before();
    assert_eq!(leftovers(root.path()), NOTHING);

    // The same for a machine that is new.
    let arguments = ["tea", "--machine", "kettle-2"];
    let said = "data/kettle-2/tea/boil.jsonl cannot be written: File too large";
    let output = measure_with_little_room(root.path(), "trap '' XFSZ;", limit, &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    assert!(message(&output).contains(said), "{}", message(&output));
    assert!(!root.path().join("data/kettle-2").exists());
    assert_eq!(leftovers(root.path()), NOTHING);

    // Writing kills: what it leaves is in nobody's way, and goes when it is surely nobody's.
    let output = measure_with_little_room(root.path(), "", limit, &["tea"]);
    assert!(output.status.signal().is_some(), "{}: {}", output.status, message(&output));
    as_before();
    driver::analyse(root.path(), DataScope::WithLocal).unwrap();
    let left = leftovers(root.path());
    assert_eq!(left.len(), 1, "{left:?}");
    let on = |day: &str| command(root.path(), &["tea"]).env("TEA_DAY", day).output().unwrap();
    assert!(on("2026-12-01").status.success());
    assert_eq!(leftovers(root.path()), left, "it might still be written to");
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 3600);
    fs::File::open(&left[0]).unwrap().set_modified(long_ago).unwrap();
    assert!(on("2026-12-02").status.success());
    assert_eq!(leftovers(root.path()), NOTHING);
}

/// What took minutes to measure is not lost because it cannot be written to where it belongs.
#[test]
fn a_run_that_cannot_be_written_is_kept_elsewhere() {
    let root = book_with_program();
    fs::create_dir(root.path().join("data/local")).unwrap();
    fs::write(root.path().join("data/local/tea"), "a file where a directory should be").unwrap();
    let output = measure(root.path(), &["tea"]);
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    let kept = kept(&message(&output));
    assert!(Run::parse_all(&fs::read_to_string(&kept).unwrap()).is_ok());
    fs::remove_file(kept).unwrap();
}

/// Where a run is kept, by what is said of it.
fn kept(message: &str) -> PathBuf {
    let kept = message.split("the run is kept in ").nth(1).expect(message);
    kept.split(": ").next().unwrap().into()
}

/// Killed at any moment, it leaves data/ as it was or complete.
#[test]
fn killed_at_any_moment_data_are_as_before_or_complete() {
    let root = book_with_program();
    assert!(measure(root.path(), &["tea"]).status.success());
    let file = root.path().join("data/local/tea/boil.jsonl");
    let new = fs::read_to_string(&file).unwrap();
    let (mut as_before, mut replaced) = (0, 0);
    let mut delay = Duration::ZERO;
    while as_before == 0 || replaced < 3 {
        assert!(delay < Duration::from_secs(20), "it never wrote within 20 s");
        // A run of another time, so that it can be told from the new one.
        let old = new.replace("2026-11-30", "2025-01-01");
        fs::write(&file, &old).unwrap();
        let complete = format!("{old}{new}");
        let mut child = command(root.path(), &["tea"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
        let found = fs::read(&file).unwrap();
        match (found == old.as_bytes(), found == complete.as_bytes()) {
            (true, false) => as_before += 1,
            (false, true) => replaced += 1,
            _ => panic!("half written after {delay:?}"),
        }
        driver::analyse(root.path(), DataScope::WithLocal).unwrap();
        delay += Duration::from_millis(40);
    }
}
