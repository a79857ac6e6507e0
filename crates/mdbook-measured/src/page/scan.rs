//! Finds what a page asks for: directives in a text, and fenced blocks.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::line_of;

/// A directive in a text.
pub(crate) struct DirectiveSource {
    /// Where it stands, with its braces.
    pub(crate) range: Range<usize>,
    /// What is between them, its words one space apart; or that they are never closed.
    pub(crate) text: Result<String, String>,
}

const UNCLOSED: &str =
    "a directive begins here and is never closed: write `}}` behind it, or `\\{{` if it is none";

/// `{{...}}`, but mdBook's own `{{#...}}`, and what is escaped.
pub(crate) fn directives(text: &str) -> Vec<DirectiveSource> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(start) = text[from..].find("{{").map(|found| from + found) {
        from = start + 2;
        let rest = &text[from..];
        if text[..start].ends_with('\\') || rest.starts_with('#') {
            continue;
        }
        // One that is never closed is reported as what it looks like.
        let end = rest.find("}}").filter(|&end| !rest[..end].contains("\n\n"));
        let text = match end {
            Some(end) => {
                from += end + 2;
                Ok(rest[..end].split_whitespace().collect::<Vec<_>>().join(" "))
            }
            None => Err(UNCLOSED.to_owned()),
        };
        all.push(DirectiveSource { range: start..from, text });
    }
    all
}

/// A fenced block.
pub(crate) struct FencedBlock {
    pub(crate) range: Range<usize>,
    /// The first word behind the fence.
    pub(crate) word: String,
    pub(crate) line: usize,
    /// The heading above it, below the page's title.
    pub(crate) heading: String,
    pub(crate) body: String,
}

/// The fenced blocks of a page, and the ranges of all code, in which nothing is a directive.
pub(crate) fn blocks(text: &str) -> (Vec<FencedBlock>, Vec<Range<usize>>) {
    let (mut blocks, mut code) = (Vec::<FencedBlock>::new(), Vec::new());
    let (mut heading, mut is_heading, mut is_fenced) = (String::new(), false, false);
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                is_fenced = true;
                let word = info.split([',', ' ']).next().unwrap_or_default().to_owned();
                let (line, heading) = (line_of(text, range.start), heading.clone());
                blocks.push(FencedBlock { range, word, line, heading, body: String::new() });
            }
            Event::Text(piece) if is_fenced => {
                if let Some(block) = blocks.last_mut() {
                    block.body.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                is_fenced = false;
                code.push(range);
            }
            Event::Start(Tag::Heading { level, .. }) => {
                is_heading = level != HeadingLevel::H1;
                heading.clear();
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Text(piece) if is_heading => heading.push_str(&piece),
            Event::Code(piece) => {
                if is_heading {
                    heading.push_str(&piece);
                }
                code.push(range);
            }
            _ => {}
        }
    }
    (blocks, code)
}
