//! The causes that pages guess at: each page that guesses has a line on the list of guesses, and the page
//! on bias counts the lines.

use std::path::Path;

use regex::Regex;

use crate::common::{files, read, root};

const LIST: &str = "src/bias/guesses.md";

/// What the last cell of a line says.
const STATES: [&str; 3] = ["settled", "half", "open"];

/// Pages that say what a guess is, and make none.
const ABOUT: [&str; 4] = ["bias.md", "bias/guesses.md", "introduction.md", "glossary.md"];

/// The cells of a table's line, which are none elsewhere.
fn cells(line: &str) -> Vec<&str> {
    let inside = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inside.map(|inside| inside.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// Of each line of the list the cell that links to where it is guessed, and what became of it.
fn list(text: &str) -> Vec<(&str, &str)> {
    let mut guesses = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let [guess, _, state] = cells(line)[..] else { continue };
        if !["Now", "---"].contains(&state) {
            let place = format!("{LIST}:{}", index + 1);
            assert!(STATES.contains(&state), "{place}: the last cell is one of {STATES:?}");
            assert!(guess.contains("](../"), "{place}: link to where it is guessed");
            guesses.push((guess, state));
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
    let unsettled = list(&text).into_iter().filter(|(_, state)| *state != "settled");
    let unsettled: String = unsettled.map(|(guess, _)| guess).collect();
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
    let guesses = list(&text);
    let counts = STATES.map(|of| guesses.iter().filter(|(_, state)| *state == of).count());
    let [settled, half, open] = counts;
    let all = guesses.len();
    let told = format!("of {all} causes that were guessed or unknown, {settled} are settled, {half} half settled and {open} open");
    let bias = bias.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(bias.contains(&told), "src/bias.md doesn't say {told:?}, as {LIST} has it");
}
