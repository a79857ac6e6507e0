//! Changes the input of each parser at random, and checks that the parser doesn't panic, and that
//! it reports each mistake with its line.
//!
//! `FUZZED=1000000 cargo test --release -p pages --test pages fuzzed` tries a million changed
//! versions per parser.

use std::cell::Cell;
use std::path::PathBuf;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use findings::data::Published;
use language::page::PageSource;
use measurement::Run;
use measurement::named_machine::NamedMachine;
use pages::driver::wrong_on;

use crate::copy::{Copy, DATA, PAGE};

const PIECES: [&str; 39] = [
    "{{",
    "}}",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "\\",
    "`",
    "```\n",
    "```claim\n",
    "```claims\n",
    "```figures\n",
    "\n",
    "\n\n",
    "\r\n",
    "\u{feff}",
    "\0",
    "é",
    "\u{1F375}",
    " - ",
    " / ",
    " * ",
    " x ",
    ": ",
    ", ",
    "=",
    "#",
    "1e999",
    "-1",
    "0",
    "NaN",
    "null",
    "true",
    "{{claim a.b}}",
    "18446744073709551616",
];

fn changed(text: &str, u: &mut Unstructured<'_>) -> Result<String> {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..u.int_in_range(1..=4)? {
        let from = u.int_in_range(0..=text.len())?;
        let to = text.len().min(from + u.int_in_range(0..=60)?);
        match u.int_in_range(0..=4)? {
            0 => drop(text.drain(from..to)),
            1 => text.truncate(from),
            2 => {
                let piece = text[from..to].to_vec();
                let at = u.int_in_range(0..=text.len())?;
                text.splice(at..at, piece);
            }
            3 => drop(text.splice(from..to, u.choose(&PIECES)?.chars())),
            _ => drop(text.splice(from..from, u.choose(&PIECES)?.chars())),
        }
    }
    Ok(text.into_iter().collect())
}

/// Runs a parser on randomly changed versions of `text`: 10,000 of them, or as many as the
/// environment variable `FUZZED` says. `read` returns the lines of the mistakes that the parser
/// finds.
fn fuzz(text: &str, read: impl Fn(&str) -> Vec<Option<usize>>) {
    let asked = std::env::var("FUZZED").ok();
    let asked = asked.map_or(10_000, |count| count.parse().expect("FUZZED is a number"));
    let (tried, refused) = (Cell::new(0), Cell::new(0));
    let one = |u: &mut Unstructured<'_>| {
        if tried.get() < asked {
            let changed = changed(text, u)?;
            let lines = changed.lines().count() + 1;
            for line in read(&changed) {
                assert!(
                    line.is_none_or(|line| (1..=lines).contains(&line)),
                    "line {line:?}: {changed:?}"
                );
                refused.set(refused.get() + 1);
            }
            tried.set(tried.get() + 1);
        }
        Ok(())
    };
    while tried.get() < asked {
        arbtest(one).budget_ms(200);
    }
    assert!(refused.get() > asked / 10, "hardly anything was wrong");
}

#[test]
fn fuzzed_runs_are_read_or_refused_with_their_line() {
    fuzz(&Copy::new().read(DATA), |text| {
        Run::parse_all(text).err().map(|wrong| Some(wrong.line)).into_iter().collect()
    });
}

#[test]
fn fuzzed_descriptions_are_read_or_refused() {
    let text = Copy::new().read("data/kettle-1/machine.json");
    fuzz(&text, |text| {
        NamedMachine::parse(text).err().map(|wrong| Some(wrong.line)).into_iter().collect()
    });
}

#[test]
fn fuzzed_pages_are_read_or_refused_with_their_line() {
    let page =
        Copy::new().read(PAGE) + include_str!("../blocks.md") + include_str!("../timeline.md");
    fuzz(&page, |text| {
        let [file, path] = ["src/tea.md", "tea.md"];
        let page = PageSource {
            file: file.to_owned(),
            source: PathBuf::from(path),
            path: PathBuf::from(path),
            text: text.to_owned(),
        };
        wrong_on(vec![page]).into_iter().map(|wrong| Some(wrong.line)).collect()
    });
}

#[test]
fn fuzzed_published_claims_are_read_or_refused_with_their_line() {
    let text = Copy::new().read("data/published/claims.toml");
    fuzz(&text, |text| {
        let wrong = Published::parse("claims.toml".to_owned(), text).err();
        let wrong = wrong.into_iter().flat_map(|mistakes| mistakes.0);
        wrong.map(|mistake| Some(mistake.line)).collect()
    });
}
