//! The causes that pages guess at: each page that guesses has a line on the list of guesses, and the page
//! on bias counts the lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

const LIST: &str = "bias/guesses.md";

/// The list of what was guessed after recordings began; the others are of a chapter each.
const SINCE: &str = "Guessed since";

/// What the last cell of a line says.
const STATES: [&str; 3] = ["settled", "half", "open"];

/// Pages that say what a guess is, and make none.
const ABOUT: [&str; 4] = ["bias.md", LIST, "introduction.md", "glossary.md"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn read(page: &Path) -> String {
    let path = source().join(page);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A line of the list.
struct Guess {
    section: String,
    /// Where the guess stands.
    pages: Vec<PathBuf>,
    state: &'static str,
}

fn list() -> Vec<Guess> {
    let mut section = String::new();
    let mut guesses = Vec::new();
    for (number, line) in read(Path::new(LIST)).lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.to_owned();
        }
        let cells = cells(line);
        let [guess, _, state] = cells[..] else { continue };
        if ["Now", "---"].contains(&state) {
            continue;
        }
        let place = format!("src/{LIST}:{}", number + 1);
        let state = STATES.into_iter().find(|of| *of == state);
        let state = state.unwrap_or_else(|| panic!("{place}: the last cell is one of {STATES:?}"));
        let pages = linked(guess);
        assert!(!pages.is_empty(), "{place}: the first cell links to where it is guessed");
        guesses.push(Guess { section: section.clone(), pages, state });
    }
    guesses
}

/// The cells of a table's line, which are none elsewhere.
fn cells(line: &str) -> Vec<&str> {
    let inside = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inside.map(|inside| inside.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// The pages to which a text on the list links.
fn linked(text: &str) -> Vec<PathBuf> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.map(|target| plain(&Path::new("bias").join(target))).collect()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{} leaves the book", path.display()),
            part => plain.push(part),
        }
    }
    plain
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path.strip_prefix(source()).unwrap().to_owned());
        }
    }
    found
}

/// Whether a page guesses at something, outside of its blocks.
fn guesses(page: &str) -> bool {
    let prose: Vec<&str> = page.split("\n```").step_by(2).collect();
    let words = prose.join(" ").to_lowercase();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    ["we guess", "is a guess"].iter().any(|sign| {
        words
            .match_indices(sign)
            .any(|(at, _)| !words[at + sign.len()..].starts_with(char::is_alphabetic))
    })
}

#[test]
fn every_page_that_guesses_is_on_the_list() {
    let list = list();
    let unsettled: Vec<&PathBuf> =
        list.iter().filter(|guess| guess.state != "settled").flat_map(|of| &of.pages).collect();
    let missing: Vec<String> = pages(&source())
        .into_iter()
        .filter(|page| !ABOUT.iter().any(|about| page == Path::new(about)))
        .filter(|page| guesses(&read(page)) && !unsettled.contains(&page))
        .map(|page| page.display().to_string())
        .collect();
    assert!(
        missing.is_empty(),
        "these pages guess, and src/{LIST} has no line of theirs that is half or open: {missing:?}"
    );
}

#[test]
fn the_page_on_bias_counts_the_list() {
    // All, and of each state.
    let mut counts: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    for guess in list() {
        let of = if guess.section == SINCE { "guessed since, on all pages" } else { "all" };
        for name in [guess.section.as_str(), of] {
            let count = counts.entry(name.to_owned()).or_default();
            count[0] += 1;
            count[1 + STATES.iter().position(|state| *state == guess.state).unwrap()] += 1;
        }
    }
    counts.remove(SINCE);
    let bias = read(Path::new("bias.md"));
    let found = counted(&bias).unwrap_or_else(|wrong| panic!("src/bias.md:{wrong}"));
    assert_eq!(found, counts, "src/bias.md counts otherwise than src/{LIST}");
}

/// The lines of a page's tables that count: what, and how many, all and of each state. Or the line that counts
/// something else.
fn counted(page: &str) -> Result<BTreeMap<String, [usize; 4]>, String> {
    let mut found = BTreeMap::new();
    for (number, line) in (1..).zip(page.lines()) {
        let cells = cells(line);
        let Some((name, numbers)) = cells.split_first() else { continue };
        let numbers: Result<Vec<usize>, _> = numbers.iter().map(|cell| cell.parse()).collect();
        let Some(numbers) = numbers.ok().filter(|numbers| !numbers.is_empty()) else { continue };
        let numbers = numbers.try_into();
        let numbers = numbers.map_err(|_| format!("{number}: it counts all, and of each state"))?;
        let name = name.trim_start_matches('[').split(']').next().unwrap_or_default();
        found.insert(name.to_owned(), numbers);
    }
    Ok(found)
}

#[test]
fn a_line_of_a_table_counts_all_and_of_each_state() {
    let table = "| of | all | settled | half | open |\n|---|---|---|---|---|\n| [all](a.md) | 6 | 3 | 2 | 1 |\n";
    let expected = BTreeMap::from([("all".to_owned(), [6, 3, 2, 1])]);
    assert_eq!(counted(table), Ok(expected.clone()));
    // A table of one column, and one of words, count nothing.
    assert_eq!(counted(&format!("| words |\n|---|\n| more |\n\n| a | b |\n{table}")), Ok(expected));
    let wrong = counted(&table.replace("| 6 ", ""));
    assert_eq!(wrong.unwrap_err(), "3: it counts all, and of each state");
}
