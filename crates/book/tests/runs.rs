//! `cargo book runs` as it is called: what it prints of one run, and of two.

use std::process::Command;

use copy::{Copy, DATA};

// Shared with tests that need more of it.
#[allow(dead_code)]
#[path = "../../mdbook-measured/tests/copy/mod.rs"]
mod copy;

fn said(copy: &Copy) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    let output = command.args(["runs", "--outside"]).current_dir(copy.path("")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn one_run_is_told_how_to_get_another() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    copy.write(DATA, text.split("\n{\"run\"").next().unwrap());
    let said = said(&copy);
    assert!(said.contains("One run has nothing to be held against."), "{said}");
    let what_to_do = "kettle-1, 1 experiment: cargo book measure tea --full --machine kettle-1";
    assert!(said.contains(what_to_do), "{said}");
    assert!(!said.contains("half-width"), "{said}");
}

#[test]
fn each_of_three_runs_is_held_against_the_others() {
    let copy = Copy::new();
    // Two boots: two runs name none.
    copy.change(DATA, "\"load\"", "\"host\": {\"boot\": \"a\"}, \"load\"");
    let line = |said: &str, begins: &str| {
        let found = said.lines().find(|line| line.trim_start().starts_with(begins));
        found.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let said = said(&copy);
    // Four rows of each run inside, and a claim that holds by the others.
    let found = line(&said, "tea/boil").unwrap_or_default();
    assert!(found.starts_with("tea/boil, kettle-1 3 2 12 100 % "), "{said}");
    assert!(found.ends_with(" % 3 0 0"), "{said}");
    assert!(!said.contains("One run"), "{said}");
}

#[test]
fn what_a_run_does_not_confirm_is_named() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let (others, last) = text.rsplit_once("{\"run\"").unwrap();
    // Its one litre takes as long as two.
    let (one, two) = (r#""litres": 1}"#, r#""litres": 2}"#);
    let of = |line: &&str, litres: &str| line.contains("\"kettle\"") && line.contains(litres);
    let slow = last.lines().find(|line| of(line, two)).unwrap().replace(two, one);
    let line = |line: &str| if of(&line, one) { slow.clone() } else { line.to_owned() } + "\n";
    let last: String = last.lines().map(line).collect();
    copy.write(DATA, &format!("{others}{{\"run\"{last}"));
    let said = said(&copy);
    let began = "kettle-1: 2026-11-30T12:12:00Z: ";
    let outside = format!("{began}outside: boil: kettle, litres=1, time to the boil (");
    let verdict = format!("{began}against: tea.pot, which holds by the others");
    for expected in [outside, verdict] {
        assert!(said.contains(&expected), "no {expected:?} in {said}");
    }
}
