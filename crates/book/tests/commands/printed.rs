//! Tests the output and the exit status of `cargo book` and `cargo book claims`.

use std::process::Command;

use crate::copy::{Copy, PAGE};

/// Runs `cargo book`. Returns its exit code, and the text on both of its streams.
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

#[test]
fn claims_fit_a_terminal_and_begin_with_what_is_open() {
    let copy = Copy::new();
    let another = "```claim\nid = \"tea.open\"\nsentence = \"A pot takes more than {bound} times as long.\"\n\
                   ratio = \"boil: pot, litres=1 / kettle\"\npredicate = \"above 2\"\n```\n\n{{ledger}}";
    copy.change(PAGE, "{{ledger}}", another);
    // The figure in the title would be misleading without its interval, so the title includes the
    // interval.
    copy.change(
        PAGE,
        "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle",
        "{{number boil: pot, litres=1}}",
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.env("COLUMNS", "60");
    let (code, said) = ended(command, &copy, &["claims", "tea"]);
    let places = ["undecided", "tea.open", "holds", "tea.pot", "2 claims: 1 undecided, 1 holds"]
        .map(|it| said.find(it));
    assert!(code == Some(0) && places.iter().all(Option::is_some) && places.is_sorted(), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 60), "{said}");

    // If the output isn't a terminal, tabs separate the cells.
    let (code, said) = book(&copy, &["claims"]);
    let lines = said.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let lines: Vec<_> = lines.take_while(|cells| cells.len() == 5).collect();
    let firsts: Vec<[&str; 3]> = lines.iter().map(|cells| [cells[0], cells[1], cells[2]]).collect();
    assert_eq!(code, Some(0), "{said}");
    let expected = [
        ["verdict", "machine", "claim"],
        ["undecided", "kettle-1", "tea.open"],
        ["holds", "kettle-1", "tea.pot"],
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
        "; and one more reason.",
        "cargo book measure tea --full --machine kettle-1",
    ] {
        assert!(said.contains(expected), "{said} has no {expected:?}");
    }
}
