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
/// comparisons in a paragraph without a `{{claim ...}}`. Headings, questions, quotations, code and
/// HTML are free.
pub fn check(file: &str, text: &str) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for range in paragraphs(text) {
        let paragraph = &text[range.clone()];
        let bare = without_directives(&without_code(paragraph));
        let line = |offset: usize| line_of(text, range.start + offset);
        for (offset, number) in numbers_with_unit(&bare) {
            let message = format!(
                "{number:?} is typed by hand: take it from the data with {{{{number ...}}}}, \
                 {{{{ratio ...}}}} or {{{{published ...}}}}, or give its source with {{{{fact ...}}}}"
            );
            mistakes.push(Mistake { file: file.to_owned(), line: line(offset), message });
        }
        if paragraph.contains("{{claim ") {
            continue;
        }
        for (offset, word) in comparisons(&bare) {
            let message = format!(
                "{word:?} compares: put a {{{{claim ...}}}} that says so into the same paragraph"
            );
            mistakes.push(Mistake { file: file.to_owned(), line: line(offset), message });
        }
    }
    mistakes
}

/// Paragraphs, list items and table cells, but those in quotations.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut quoted, mut free) = (0, 0);
    // A tight list has items without paragraphs: their text is joined until a block begins or ends.
    let mut item: Option<Range<usize>> = None;
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quoted += 1,
            Event::End(TagEnd::BlockQuote(_)) => quoted -= 1,
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. } | Tag::HtmlBlock) => free += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Heading(_) | TagEnd::HtmlBlock) => free -= 1,
            Event::Start(
                Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::Link { .. }
                | Tag::Image { .. },
            )
            | Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image,
            ) => continue,
            Event::Start(_) | Event::End(_) => found.extend(item.take()),
            _ if quoted == 0 && free == 0 => {
                let start = item.as_ref().map_or(range.start, |item| item.start);
                item = Some(start..range.end);
            }
            _ => {}
        }
    }
    found.extend(item);
    found
}

/// Blanks out, so that offsets stay.
fn blank(text: &mut String, range: Range<usize>) {
    let blanks: String =
        text[range.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    // A character of several bytes becomes as many spaces.
    let width = range.len();
    let blanks = format!("{blanks:width$}");
    let cut: String = blanks.chars().take(width).collect();
    text.replace_range(range, &cut);
}

fn without_code(text: &str) -> String {
    let mut text = text.to_owned();
    let code: Vec<Range<usize>> = Parser::new_ext(&text, Options::all())
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Code(_) | Event::InlineHtml(_)))
        .map(|(_, range)| range)
        .collect();
    for range in code {
        blank(&mut text, range);
    }
    text
}

fn without_directives(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(start) = text.find("{{") {
        let end = text[start..].find("}}").map_or(text.len(), |end| start + end + 2);
        blank(&mut text, start..end);
    }
    text
}

fn numbers_with_unit(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|found| at + found) {
        let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let end = text[start..].find(|c| !is_number(c)).map_or(text.len(), |length| start + length);
        at = end.max(start + 1);
        let begins_word =
            !text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        let number = text[start..end].trim_end_matches(['.', ',']);
        let rest = &text[start + number.len()..];
        let unit = rest.trim_start_matches([' ', '\u{a0}', '\n']);
        let word: String = unit.chars().take_while(|c| c.is_alphabetic()).collect();
        let word = if word.is_empty() { unit.chars().take(1).collect() } else { word };
        if begins_word && UNITS.contains(&word.as_str()) {
            found.push((start, format!("{number} {word}")));
        }
    }
    found
}

fn comparisons(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for sentence in text.split_inclusive(['.', '?', '!', ':', ';']) {
        if !sentence.ends_with('?') {
            let mut at = 0;
            for word in sentence.split(|c: char| !c.is_alphabetic()) {
                if let Some(known) =
                    COMPARISONS.iter().find(|known| known.eq_ignore_ascii_case(word))
                {
                    let place = at + sentence[at..].find(word).unwrap_or(0);
                    found.push((start + place, *known));
                }
                at += sentence[at..].find(word).unwrap_or(0) + word.len();
            }
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
    fn comparisons_need_a_claim() {
        assert_eq!(lines("Tasks are\ncheaper than threads."), [2]);
        assert_eq!(lines("Tasks are cheaper ({{claim a.b}})."), Vec::<usize>::new());
        assert_eq!(lines("Are tasks cheaper? We shall see."), Vec::<usize>::new());
        assert_eq!(lines("Is it? Tasks are Faster."), [1]);
    }
}
