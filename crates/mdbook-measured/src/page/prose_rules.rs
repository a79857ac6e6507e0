//! Rules of prose, what it may not say of its own: figures and comparisons come from data.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{Mistake, line_of};

/// What makes a number before it a measured one.
const UNITS: [&str; 21] = [
    "ns",
    "µs",
    "us",
    "ms",
    "s",
    "B",
    "KiB",
    "MiB",
    "GiB",
    "kB",
    "KB",
    "MB",
    "GB",
    "×",
    "x",
    "times",
    "%",
    "percent",
    "nanoseconds",
    "microseconds",
    "milliseconds",
];

/// What compares.
const COMPARISONS: [&str; 4] = ["faster", "slower", "cheaper", "twice"];

/// Finds, on a page as it stands in its source: numbers with a unit that no directive gives, and
/// comparisons in a paragraph without a claim and without a figure, which has its interval. Headings, questions, quotations, code and
/// HTML are free.
pub fn check(file: &str, text: &str) -> Vec<Mistake> {
    let (paragraphs, bare) = prose(text);
    let mut mistakes = Vec::new();
    for range in paragraphs {
        let mut found = Vec::new();
        for (offset, number) in numbers_with_unit(&bare[range.clone()]) {
            let message = format!(
                "{number:?} is typed by hand: take it from the data with {{{{number ...}}}}, \
                 {{{{ratio ...}}}} or {{{{published ...}}}}, or give its source with {{{{fact ...}}}}"
            );
            found.push((offset, message));
        }
        let grounds = ["{{claim ", "{{number ", "{{ratio "];
        let has_grounds = grounds.iter().any(|ground| text[range.clone()].contains(ground));
        for (offset, word) in comparisons(&bare[range.clone()]).into_iter().filter(|_| !has_grounds)
        {
            let message = format!(
                "{word:?} compares: put a {{{{claim ...}}}}, {{{{ratio ...}}}} or {{{{number ...}}}} that says so \
                 into the same paragraph"
            );
            found.push((offset, message));
        }
        mistakes.extend(found.into_iter().map(|(offset, message)| Mistake {
            file: file.to_owned(),
            line: line_of(text, range.start + offset),
            message,
        }));
    }
    mistakes
}

/// Paragraphs, list items and table cells, but those in quotations; and the text in which all is blank but
/// their words, directives left out.
fn prose(text: &str) -> (Vec<Range<usize>>, String) {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut bare: Vec<u8> =
        text.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    let mut free = 0;
    // A tight list has items without paragraphs: their text is joined until a block begins or ends.
    let mut item: Option<Range<usize>> = None;
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        match event {
            Event::Start(
                Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::Heading { .. } | Tag::HtmlBlock,
            ) => free += 1,
            Event::End(
                TagEnd::BlockQuote(_) | TagEnd::CodeBlock | TagEnd::Heading(_) | TagEnd::HtmlBlock,
            ) => free -= 1,
            Event::Start(tag) if is_inline(tag.to_end()) => {}
            Event::End(tag) if is_inline(tag) => {}
            Event::Start(_) | Event::End(_) => paragraphs.extend(item.take()),
            _ if free > 0 => {}
            event => {
                if matches!(event, Event::Text(_)) {
                    bare[range.clone()].copy_from_slice(&text.as_bytes()[range.clone()]);
                }
                item = Some(item.map_or(range.start, |item| item.start)..range.end);
            }
        }
    }
    paragraphs.extend(item);
    let mut bare = String::from_utf8(bare).expect("words are copied whole");
    while let Some(start) = bare.find("{{") {
        let end = bare[start..].find("}}").map_or(bare.len(), |end| start + end + 2);
        let blank = bare[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        let blank: String = blank.collect();
        bare.replace_range(start..end, &blank);
    }
    (paragraphs, bare)
}

fn is_inline(tag: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(tag, Emphasis | Strong | Strikethrough | Link | Image)
}

fn numbers_with_unit(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut end) = (Vec::new(), 0);
    while let Some(start) = text[end..].find(|c: char| c.is_ascii_digit()).map(|at| end + at) {
        let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        end = text[start..].find(|c| !is_number(c)).map_or(text.len(), |length| start + length);
        let number = text[start..end].trim_end_matches(['.', ',']);
        let behind = text[start + number.len()..].trim_start();
        let is_unit = |unit: &&&str| {
            let begins_word = |rest: &str| rest.starts_with(char::is_alphabetic);
            behind.strip_prefix(**unit).is_some_and(|rest| !begins_word(unit) || !begins_word(rest))
        };
        let in_word =
            text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        if let Some(unit) = UNITS.iter().find(is_unit).filter(|_| !in_word) {
            found.push((start, format!("{number} {unit}")));
        }
    }
    found
}

fn comparisons(text: &str) -> Vec<(usize, &'static str)> {
    let (mut found, mut start) = (Vec::new(), 0);
    for sentence in text.split_inclusive(['.', '?', '!', ':', ';']) {
        let lower = sentence.to_ascii_lowercase();
        for word in COMPARISONS.into_iter().filter(|_| !sentence.ends_with('?')) {
            let is_word = |at: &usize| {
                !lower[..*at].ends_with(char::is_alphabetic)
                    && !lower[at + word.len()..].starts_with(char::is_alphabetic)
            };
            let places = lower.match_indices(word).map(|(at, _)| at).filter(is_word);
            found.extend(places.map(|at| (start + at, word)));
        }
        start += sentence.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check("page.md", text).into_iter().map(|mistake| mistake.line).collect()
    }

    #[test]
    fn measured_numbers_are_not_typed_by_hand() {
        assert_eq!(lines("A spawn costs 400 ns.\n"), [1]);
        assert_eq!(lines("One.\n\nIt costs 3.5 µs, or 20 %,\nor 3 times as much."), [3, 3, 4]);
        assert_eq!(lines("It is 17× as dear."), [1]);
        assert_eq!(lines("- a list: 5 ms\n- and 6 ms\n"), [1, 2]);
        assert_eq!(lines("- *a* loose list: {{fact \"5 %\" it is said}}\n\n- and 6 ms\n"), [3]);
        assert_eq!(lines("- tight: *{{fact \"5 %\" it is said}}*\n- and 6 ms\n"), [2]);
        assert_eq!(lines("| a |\n|---|\n| 5 ms |\n"), [3]);
    }

    #[test]
    fn counts_code_headings_quotations_and_directives_are_free() {
        let free = "# 5 ms\n\nIn 2026, 1,000 tasks and `5 ms` of {{number a: b, x=5 ms}} x86_64.\n\n\
                    > They said 34 times.\n\n```\n5 ms faster\n```\n";
        assert_eq!(lines(free), Vec::<usize>::new());
    }

    #[test]
    fn comparisons_need_a_claim_or_a_figure() {
        assert_eq!(lines("Tasks are\ncheaper than threads."), [2]);
        assert_eq!(lines("Tasks are cheaper ({{claim a.b}})."), Vec::<usize>::new());
        assert_eq!(lines("Tasks are cheaper: {{ratio a: b / c}}."), Vec::<usize>::new());
        assert_eq!(lines("Tasks are cheaper: {{published a b}}."), [1]);
        assert_eq!(lines("Are tasks cheaper? We shall see."), Vec::<usize>::new());
        assert_eq!(lines("Is it? Tasks are Faster."), [1]);
    }
}
