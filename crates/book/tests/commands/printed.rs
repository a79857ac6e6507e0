//! `cargo book` and `cargo book runs` as they are called: what they print, and how they end.

use std::process::Command;

use crate::copy::{Copy, DATA, PAGE};

/// How it ended, and what it said on both streams.
fn book(copy: &Copy, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.env_remove("COLUMNS");
    ended(command, copy, arguments)
}

fn ended(mut command: Command, copy: &Copy, arguments: &[&str]) -> (Option<i32>, String) {
    let output = command.args(arguments).current_dir(copy.path("")).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

fn runs(copy: &Copy) -> String {
    let (code, said) = book(copy, &["runs", "--outside"]);
    assert_eq!(code, Some(0), "{said}");
    said
}

#[test]
fn claims_fit_a_terminal_and_begin_with_what_is_open() {
    let copy = Copy::new();
    let another = "```claim\nid = \"tea.open\"\nsentence = \"A pot takes more than {bound} times as long.\"\n\
                   ratio = \"boil: pot, litres=1 / kettle\"\npredicate = \"above 2\"\n```\n\n{{ledger}}";
    copy.change(PAGE, "{{ledger}}", another);
    // Of which the title would tell.
    copy.change(
        PAGE,
        "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle",
        "{{number boil: pot, litres=1}}",
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.env("COLUMNS", "60");
    let (code, said) = ended(command, &copy, &["claims", "tea"]);
    let places = ["undecided", "tea.open", "tea.pot", "2 claims: 1 undecided, 1 holds"]
        .map(|it| said.find(it));
    assert!(code == Some(0) && places.iter().all(Option::is_some) && places.is_sorted(), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 60), "{said}");

    // For a program, a line a machine, in the order of the page.
    let (code, said) = book(&copy, &["claims"]);
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split('\t').collect()).collect();
    assert!(code == Some(0) && lines.iter().all(|cells| cells.len() == 5), "{said}");
    let firsts: Vec<[&str; 3]> = lines.iter().map(|cells| [cells[0], cells[1], cells[2]]).collect();
    let expected = [
        ["claim", "machine", "verdict"],
        ["tea.pot", "kettle-1", "holds"],
        ["tea.open", "kettle-1", "undecided"],
    ];
    assert_eq!(firsts, expected);

    let (code, said) = book(&copy, &["claims", "teas"]);
    let expected = "error: no claim is of the chapter \"teas\"; the nearest:\n    tea\n";
    assert!(code == Some(1) && said.contains(expected), "{said}");
}

#[test]
fn what_is_wrong_is_an_error() {
    let copy = Copy::new();
    copy.change(PAGE, "number boil: kettle", "number boil: kettel");
    let (code, said) = book(&copy, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: src/tea.md:3: "), "{said}");
}

#[test]
fn a_machine_whose_data_are_stale_is_one_message() {
    let copy = Copy::new();
    let files = "[package.metadata.measured.files]\nboil = [\"main\"]\n";
    copy.write("experiments/tea/Cargo.toml", files);
    copy.write("experiments/tea/src/main.rs", "fn main() {}\n");
    copy.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.96.0\"\n");
    let locked = "[[package]]\nname = \"water\"\nversion = \"2.0.0\"\nsource = \"registry\"\n";
    copy.write("Cargo.lock", locked);
    let (code, said) = book(&copy, &[]);
    assert_eq!((code, said.matches("warning: ").count()), (Some(0), 1), "{said}");
    for expected in [
        "warning: the data of kettle-1 are stale in 1 of 1 files: measured with rustc 1.95.0, the tree has 1.96.0; ",
        "; and 1 more reasons.",
        "cargo book measure tea --full --machine kettle-1",
    ] {
        assert!(said.contains(expected), "{said} has no {expected:?}");
    }
}

#[test]
fn one_run_is_told_how_to_get_another() {
    let copy = Copy::new();
    copy.write(DATA, copy.read(DATA).split("\n{\"run\"").next().unwrap());
    let said = runs(&copy);
    assert!(said.contains("One run has nothing to be held against."), "{said}");
    let what_to_do = "kettle-1, 1 experiment: cargo book measure tea --full --machine kettle-1";
    assert!(said.contains(what_to_do) && !said.contains("half-width"), "{said}");
}

#[test]
fn each_of_three_runs_is_held_against_the_others_and_what_it_does_not_confirm_is_named() {
    let copy = Copy::new();
    // Two boots: two runs name none.
    copy.change(DATA, "\"load\"", "\"host\": {\"boot\": \"a\"}, \"load\"");
    let said = runs(&copy);
    let line = said.lines().find(|line| line.trim_start().starts_with("tea/boil"));
    let cells: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    // Four rows of each run inside, and a claim that holds by the others.
    let cells = cells.join(" ");
    assert!(cells.starts_with("tea/boil, kettle-1 3 2 12 100 % "), "{said}");
    assert!(cells.ends_with(" % 3 0 0") && !said.contains("One run"), "{said}");

    // In the last run one litre takes as long as two.
    let text = copy.read(DATA);
    let (others, last) = text.rsplit_once("{\"run\"").unwrap();
    let (one, two) = (r#""litres": 1}"#, r#""litres": 2}"#);
    let of = |line: &str, litres: &str| line.contains("\"kettle\"") && line.contains(litres);
    let slow = last.lines().find(|line| of(line, two)).unwrap().replace(two, one);
    let last: Vec<&str> =
        last.lines().map(|line| if of(line, one) { &slow } else { line }).collect();
    copy.write(DATA, &format!("{others}{{\"run\"{}\n", last.join("\n")));
    let said = runs(&copy);
    for expected in [
        "outside: boil: kettle, litres=1, time to the boil (",
        "against: tea.pot, which holds by the others",
    ] {
        let expected = format!("kettle-1: 2026-11-30T12:12:00Z: {expected}");
        assert!(said.contains(&expected), "no {expected:?} in {said}");
    }
}
