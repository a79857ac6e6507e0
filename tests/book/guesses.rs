//! The causes that pages guess at: each page that guesses has a line on the list of guesses, and the page
//! on bias counts the lines.

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;

use crate::common::{files, read, root};

const LIST: &str = "src/bias/guesses.md";

/// What the last cell of a line says.
const STATES: [&str; 3] = ["settled", "half", "open"];

/// The list of what was guessed after recordings began; the others are of a chapter each.
const SINCE: &str = "Guessed since";

/// Pages that say what a guess is, and make none.
const ABOUT: [&str; 4] = ["bias.md", "bias/guesses.md", "introduction.md", "glossary.md"];

/// The cells of a table's line, which are none elsewhere.
fn cells(line: &str) -> Vec<&str> {
    let inside = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inside.map(|inside| inside.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// Of each line of the list its section, the cell that links to where it is guessed, and what became of it.
fn list(text: &str) -> Vec<(&str, &str, &str)> {
    let (mut section, mut guesses) = ("", Vec::new());
    for (index, line) in text.lines().enumerate() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let [guess, _, state] = cells(line)[..] else { continue };
        if !["Now", "---"].contains(&state) {
            let place = format!("{LIST}:{}", index + 1);
            assert!(STATES.contains(&state), "{place}: the last cell is one of {STATES:?}");
            assert!(guess.contains("](../"), "{place}: link to where it is guessed");
            guesses.push((section, guess, state));
        }
    }
    guesses
}

/// Whether a page guesses at something, outside of its blocks.
fn guesses(page: &str) -> bool {
    let prose: String = page.split("\n```").step_by(2).collect();
    Regex::new(r"\b(?:[Ww]e|is\W+a)\W+guess\b").unwrap().is_match(&prose)
}

#[test]
fn every_page_that_guesses_is_on_the_list() {
    let text = read(LIST);
    let unsettled = list(&text).into_iter().filter(|(.., state)| *state != "settled");
    let unsettled: String = unsettled.map(|(_, guess, _)| guess).collect();
    for page in files(&root().join("src"), ".md") {
        let name = page.display();
        let is_listed =
            [")", "#"].iter().any(|end| unsettled.contains(&format!("](../{name}{end}")));
        let may = is_listed || ABOUT.iter().any(|about| page == Path::new(about));
        let guesses = guesses(&read(Path::new("src").join(&page)));
        assert!(may || !guesses, "{name} guesses, and {LIST} has no line of it: half or open");
    }
}

#[test]
fn the_page_on_bias_counts_the_list() {
    let (text, bias) = (read(LIST), read("src/bias.md"));
    // All, and of each state.
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (section, _, state) in list(&text) {
        let of = if section == SINCE { "guessed since, on all pages" } else { "all" };
        for name in [section, of].into_iter().filter(|name| *name != SINCE) {
            let count = counts.entry(name).or_default();
            count[0] += 1;
            count[1 + STATES.iter().position(|of| *of == state).unwrap()] += 1;
        }
    }
    let counted = bias.lines().filter_map(|line| {
        let [name, numbers @ ..] = &cells(line)[..] else { return None };
        let numbers: Option<Vec<usize>> = numbers.iter().map(|cell| cell.parse().ok()).collect();
        Some((name.trim_start_matches('[').split(']').next()?, numbers?.try_into().ok()?))
    });
    assert_eq!(
        counted.collect::<BTreeMap<_, _>>(),
        counts,
        "src/bias.md counts otherwise than {LIST}"
    );
}
