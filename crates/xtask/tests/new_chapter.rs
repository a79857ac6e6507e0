//! A new chapter, made in a copy of what it is made from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mdbook_measured::{driver, DataScope};
use xtask::new_chapter::{evidence, make};

/// Where what a new chapter is made from lies, and a small book with data.
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mdbook-measured/tests/fixture");

/// A run of the chapter, as if it had been measured.
const RUN: &str = concat!(
    r#"{"run":"2026-11-30T10:12:00Z","machine":"kettle-1","chapter":"green-tea","experiment":"units","profile":"quick","commit":"0123abc","method":4,"workload":"9f86d081884c7d65","rustc":"1.95.0","crates":{},"load":0.02,"processes":2}"#,
    "\n",
    r#"{"contender":"baseline","parameters":{"units":10},"quantity":"time per unit","unit":"ns","estimate":1.0,"low":0.9,"high":1.1,"points":[0.9,1.0,1.0,1.0,1.0,1.1],"source":"criterion"}"#,
    "\n",
    r#"{"contender":"std::thread","parameters":{"units":10},"quantity":"time per unit","unit":"ns","estimate":9000.0,"low":8900.0,"high":9100.0,"points":[8900.0,9000.0,9000.0,9000.0,9000.0,9100.0],"source":"criterion"}"#,
    "\n",
);

fn copy(from: &str, to: &Path, file: &str) {
    let target = to.join(file);
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::copy(Path::new(from).join(file), target).unwrap();
}

/// A workspace with the example in it.
fn workspace() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in ["Cargo.toml", "src/SUMMARY.md"] {
        copy(WORKSPACE, root.path(), file);
    }
    for file in [
        "Cargo.toml",
        "benches/example-chapter.rs",
        "evidence.md",
        "page.md",
        "rustfmt.toml",
        "src/lib.rs",
        "src/listings/baseline.rs",
        "src/listings/std_thread.rs",
        "src/main.rs",
        "tests/answers.rs",
    ] {
        copy(WORKSPACE, root.path(), &format!("crates/example-chapter/{file}"));
    }
    root
}

#[test]
fn it_has_a_package_a_page_and_their_lines() {
    let root = workspace();
    let files = make(root.path(), "green-tea").unwrap();
    let read = |file: &str| fs::read_to_string(root.path().join(file)).unwrap();
    for file in [
        "experiments/green-tea/Cargo.toml",
        "experiments/green-tea/benches/green-tea.rs",
        "experiments/green-tea/src/listings/std_thread.rs",
        "src/green-tea.md",
    ] {
        assert!(files.contains(&PathBuf::from(file)), "{files:?}");
        let text = read(file).to_lowercase();
        assert!(!text.contains("example"), "{file} still has the example's name: {text}");
    }
    assert!(read("Cargo.toml").contains("    \"experiments/green-tea\",\n]\n"));
    assert!(read("experiments/green-tea/src/main.rs").contains("green_tea::chapter()"));
    let summary = read("src/SUMMARY.md");
    let line = summary.find("- [Green tea](green-tea.md)\n\n#").expect("it is in its part");
    assert!(summary.find("# What it costs").is_some_and(|part| part < line));
    let again = make(root.path(), "green-tea").unwrap_err().to_string();
    assert!(again.contains("experiments/green-tea is there already"), "{again}");
    assert!(make(root.path(), "Green tea").is_err());
}

#[test]
fn its_page_renders_without_data_and_with() {
    let root = workspace();
    for file in ["book.toml", "data/kettle-1/machine.json", "data/published/claims.toml"] {
        copy(FIXTURE, root.path(), file);
    }
    let write = |file: &str, text: &str| fs::write(root.path().join(file), text).unwrap();
    make(root.path(), "green-tea").unwrap();
    // The other pages are not here.
    write("src/SUMMARY.md", "# Summary\n\n- [Green tea](green-tea.md)\n");
    fs::create_dir(root.path().join("data/kettle-1/green-tea")).unwrap();
    let runs = RUN.to_owned() + &RUN.replace("T10:12", "T11:12");
    write("data/kettle-1/green-tea/units.jsonl", &runs);
    let html = || {
        driver::build(root.path(), DataScope::Committed)
            .unwrap_or_else(|error| panic!("{error:#}"));
        fs::read_to_string(root.path().join("book/green-tea.html")).unwrap()
    };
    assert!(html().contains("thread::spawn"), "the page shows its listing");
    let page = fs::read_to_string(root.path().join("src/green-tea.md")).unwrap();
    write("src/green-tea.md", &(page + "\n" + &evidence(root.path(), "green-tea").unwrap()));
    let html = html();
    for expected in
        ["id=\"claim-green-tea.thread\"", "measured-holds", "id=\"chart-green-tea.units\""]
    {
        assert!(html.contains(expected), "{html} has no {expected}");
    }
}

/// `cargo xtask new-chapter green-tea`, given in a directory.
fn new_chapter_in(directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["new-chapter", "green-tea"]).current_dir(directory).output().unwrap()
}

#[test]
fn it_is_made_where_the_command_is_given() {
    let root = workspace();
    copy(FIXTURE, root.path(), "book.toml");
    let output = new_chapter_in(&root.path().join("crates/example-chapter"));
    assert!(output.status.success(), "{output:?}");
    assert!(root.path().join("experiments/green-tea/Cargo.toml").is_file());
    assert!(!Path::new(WORKSPACE).join("experiments/green-tea").exists());
}

#[test]
fn outside_of_a_workspace_nothing_is_made() {
    let elsewhere = tempfile::tempdir().unwrap();
    let output = new_chapter_in(elsewhere.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("Cargo.toml and book.toml"), "{said}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// As long as it fits on a screen, it is read.
#[test]
fn the_example_is_short() {
    let lib = Path::new(WORKSPACE).join("crates/example-chapter/src/lib.rs");
    let lines = fs::read_to_string(lib).unwrap().lines().count();
    assert!(lines <= 40, "{lines} lines");
}
