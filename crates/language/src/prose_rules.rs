//! Rules for prose: numbers and comparisons have to come from data.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Captures;
use std::ops::Range;

use crate::{Mistake, line_of, pattern};

/// Finds two kinds of mistakes in the source of a page: numbers with a unit that don't come from
/// a directive, and comparisons in a paragraph that has neither a claim nor a measured figure.
/// Headings, questions, quotations, code and HTML are ignored.
pub fn check(file: &str, text: &str) -> Vec<Mistake> {
    let (paragraphs, bare) = prose(text);
    // Matches a number that isn't part of a word, followed by a unit that only measured numbers
    // have.
    let measured = pattern!(
        r"(?x) (?:^|[^\w.,-]) (?<number>[\d.,]*\d) [.,]*\s* (?<unit> [×%] | (?: ns|µs|us|ms|s|B|KiB|MiB|GiB|kB|KB|MB
          |GB|x|times|percent|nanoseconds|microseconds|milliseconds ) \b )"
    );
    let comparison = pattern!(r"(?i)\b(?:faster|slower|cheaper|twice)\b");
    let mut mistakes = Vec::new();
    for range in paragraphs {
        let (source, bare) = (&text[range.clone()], &bare[range.clone()]);
        let mut found = |offset: usize, message| {
            let line = line_of(text, range.start + offset);
            mistakes.push(Mistake { file: file.to_owned(), line, message });
        };
        for of in measured.captures_iter(bare) {
            let number = format!("{} {}", &of["number"], &of["unit"]);
            let message = format!(
                "{number:?} is typed by hand: take it from the data with {{{{number ...}}}}, \
                 {{{{ratio ...}}}} or {{{{published ...}}}}, or give its source with {{{{fact ...}}}}"
            );
            found(of.get(1).map_or(0, |number| number.start()), message);
        }
        if ["{{claim ", "{{number ", "{{ratio "].iter().any(|ground| source.contains(ground)) {
            continue;
        }
        let mut start = 0;
        for sentence in bare.split_inclusive(['.', '?', '!', ':', ';']) {
            for word in comparison.find_iter(sentence).filter(|_| !sentence.ends_with('?')) {
                let message = format!(
                    "{:?} compares: put a {{{{claim ...}}}}, {{{{ratio ...}}}} or {{{{number ...}}}} that says so \
                     into the same paragraph",
                    word.as_str().to_lowercase()
                );
                found(start + word.start(), message);
            }
            start += sentence.len();
        }
    }
    mistakes
}

/// Returns the ranges of paragraphs, list items and table cells, except those in quotations. Also
/// returns the text, with everything else (including directives) replaced by spaces.
fn prose(text: &str) -> (Vec<Range<usize>>, String) {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut bare: Vec<u8> =
        text.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    let mut free = 0;
    // In a list without blank lines, the text of an item isn't in a paragraph. Its pieces are
    // joined until a block begins or ends.
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
    let bare = String::from_utf8(bare).expect("words are copied whole");
    let blank = |found: &Captures<'_>| -> String {
        let bytes = found[0].bytes();
        bytes.map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
    };
    let bare = pattern!(r"(?s)\{\{.*?(?:\}\}|$)").replace_all(&bare, blank).into_owned();
    (paragraphs, bare)
}

fn is_inline(tag: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(tag, Emphasis | Strong | Strikethrough | Link | Image)
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
