//! `cargo book runs` as it is called: what it prints of one run, and of two.

use std::process::Command;

use copy::{Copy, DATA};
use measurement::METHOD;

// Shared with tests that need more of it.
#[allow(dead_code)]
#[path = "../../mdbook-measured/tests/copy/mod.rs"]
mod copy;

fn said(copy: &Copy) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    let output = command.arg("runs").current_dir(copy.path("")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The fixture's rows as a run of today's method.
fn run(copy: &Copy, hour: u32) -> String {
    let text = copy.read(DATA);
    let (_, rows) = text.split_once('\n').unwrap();
    format!(
        r#"{{"run":"2026-11-30T{hour}:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"boil","profile":"full","commit":"","method":{METHOD},"workload":"a","builds":[7,8],"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":2,"rounds":1}}"#
    ) + "\n"
        + rows
}

#[test]
fn one_run_is_told_how_to_get_another() {
    let copy = Copy::new();
    copy.write("data/kettle-1/tea/boil.jsonl", &run(&copy, 10));
    std::fs::remove_file(copy.path(DATA)).unwrap();
    let said = said(&copy);
    assert!(said.contains("One run has nothing to be held against."), "{said}");
    let what_to_do = "kettle-1, 1 experiment: cargo book measure tea --full --machine kettle-1";
    assert!(said.contains(what_to_do), "{said}");
    assert!(!said.contains("wanted"), "{said}");
}

#[test]
fn the_last_of_two_runs_is_held_against_the_first() {
    let copy = Copy::new();
    copy.write("data/kettle-1/tea/boil.jsonl", &(run(&copy, 10) + &run(&copy, 11)));
    std::fs::remove_file(copy.path(DATA)).unwrap();
    let said = said(&copy);
    let line = |begins: &str| {
        let found = said.lines().find(|line| line.trim_start().starts_with(begins));
        found.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    // The same figures again: four rows inside, and a claim that holds as it did.
    let found = line("kettle-1 ").unwrap_or_default();
    assert!(found.starts_with("kettle-1 tea/boil 1 4 100 %"), "{said}");
    assert!(found.ends_with("0 1 100 % 0 % 0"), "{said}");
    assert_eq!(
        line("wanted").as_deref(),
        Some("wanted 90 % or more 67 % or more 5 % at most none")
    );
    assert!(!said.contains("One run"), "{said}");
}
