//! A new chapter, made in a copy of what it is made from.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use mdbook_measured::{driver, DataScope};
use tempfile::TempDir;

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

/// A workspace with the example in it, and what a book needs.
fn workspace() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let copy = |from: &str, file: &str| {
        let target = root.path().join(file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(Path::new(from).join(file), target).unwrap();
    };
    for file in ["book.toml", "data/kettle-1/machine.json", "data/published/claims.toml"] {
        copy(FIXTURE, file);
    }
    copy(WORKSPACE, "Cargo.toml");
    copy(WORKSPACE, "src/SUMMARY.md");
    for folder in ["", "benches", "src", "src/listings", "tests"] {
        let folder = Path::new("crates/example-chapter").join(folder);
        for entry in fs::read_dir(Path::new(WORKSPACE).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                copy(WORKSPACE, folder.join(entry.file_name()).to_str().unwrap());
            }
        }
    }
    root
}

/// `cargo xtask new-chapter`, given in a directory.
fn new_chapter_in(directory: &Path, name: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["new-chapter", name]).current_dir(directory).output().unwrap()
}

#[test]
fn it_is_made_where_the_command_is_given_and_renders_without_data_and_with() {
    let root = workspace();
    let path = |file: &str| root.path().join(file);
    let read = |file: &str| fs::read_to_string(path(file)).unwrap();
    let output = new_chapter_in(&path("crates/example-chapter"), "green-tea");
    assert!(output.status.success(), "{output:?}");
    assert!(!Path::new(WORKSPACE).join("experiments/green-tea").exists());
    for file in [
        "experiments/green-tea/Cargo.toml",
        "experiments/green-tea/benches/green-tea.rs",
        "experiments/green-tea/src/listings/std_thread.rs",
        "src/green-tea.md",
    ] {
        let text = read(file).to_lowercase();
        assert!(!text.contains("example"), "{file} still has the example's name: {text}");
    }
    assert!(!path("experiments/green-tea/rustfmt.toml").exists());
    assert!(read("Cargo.toml").contains("    \"experiments/green-tea\",\n]\n"));
    assert!(read("experiments/green-tea/src/main.rs").contains("green_tea::chapter()"));
    let summary = read("src/SUMMARY.md");
    let line = summary.find("- [Green tea](green-tea.md)\n\n#").expect("it is in its part");
    assert!(summary.find("# Choosing a runtime").is_some_and(|part| part < line));

    // The other pages are not here.
    fs::write(path("src/SUMMARY.md"), "# Summary\n\n- [Green tea](green-tea.md)\n").unwrap();
    fs::create_dir(path("data/kettle-1/green-tea")).unwrap();
    let runs = RUN.to_owned() + &RUN.replace("T10:12", "T11:12");
    fs::write(path("data/kettle-1/green-tea/units.jsonl"), runs).unwrap();
    let html = || {
        driver::build(root.path(), DataScope::Committed)
            .unwrap_or_else(|error| panic!("{error:#}"));
        read("book/green-tea.html")
    };
    assert!(html().contains("thread::spawn"), "the page shows its listing");
    let said = String::from_utf8(output.stdout).unwrap();
    let (_, evidence) = said.split_once("at the page's end:\n").unwrap();
    fs::write(path("src/green-tea.md"), read("src/green-tea.md") + evidence).unwrap();
    let html = html();
    for expected in
        ["id=\"claim-green-tea.thread\"", "measured-holds", "id=\"chart-green-tea.units\""]
    {
        assert!(html.contains(expected), "{html} has no {expected}");
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let (root, elsewhere) = (workspace(), tempfile::tempdir().unwrap());
    fs::write(root.path().join("src/green-tea.md"), "").unwrap();
    for (directory, name, expected) in [
        (&root, "green-tea", "src/green-tea.md is there already"),
        (&root, "Green tea", "is not a name"),
        (&elsewhere, "green-tea", "Cargo.toml and book.toml"),
    ] {
        let output = new_chapter_in(directory.path(), name);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{said}");
    }
    assert!(!root.path().join("experiments").exists());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// As long as it fits on a screen, it is read.
#[test]
fn the_example_is_short() {
    let lib = Path::new(WORKSPACE).join("crates/example-chapter/src/lib.rs");
    let lines = fs::read_to_string(lib).unwrap().lines().count();
    assert!(lines <= 40, "{lines} lines");
}
