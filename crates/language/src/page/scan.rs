//! Finds the directives and fenced blocks in a page's source.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::{line_of, pattern};

/// A directive found in the source of a page.
pub struct DirectiveSource {
    /// The range of the directive in the source, including the braces.
    pub range: Range<usize>,
    /// The text between the braces, with single spaces between words. It is an error if the
    /// braces are never closed.
    pub text: Result<String, String>,
}

const UNCLOSED: &str =
    "a directive begins here and is never closed: write `}}` behind it, or `\\{{` if it is none";

/// Finds all directives `{{...}}`, except those of mdBook (`{{#...}}`) and escaped ones.
pub fn directives(text: &str) -> Vec<DirectiveSource> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(start) = text[from..].find("{{").map(|found| from + found) {
        from = start + 2;
        let rest = &text[from..];
        if text[..start].ends_with('\\') || rest.starts_with('#') {
            continue;
        }
        // Closing braces after a blank line belong to another directive. This one is reported as
        // unclosed.
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

/// Returns `text` with each directive replaced by the result of `with`, which gets the text
/// between the braces.
pub fn replaced(
    text: &str,
    mut with: impl FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let (mut replaced, mut end) = (String::new(), 0);
    for found in directives(text) {
        replaced += &text[end..found.range.start];
        replaced += &with(&found.text?)?;
        end = found.range.end;
    }
    Ok(replaced + &text[end..])
}

/// If `found` begins with claims that have a pair of parentheses to themselves, returns the range
/// of the parentheses and the ids of the claims. The range includes the space before the
/// parentheses, because rendering may remove them altogether.
pub(super) fn asides(text: &str, found: &[DirectiveSource]) -> Option<(Range<usize>, Vec<String>)> {
    let before = text[..found.first()?.range.start].strip_suffix('(')?;
    let (mut asked, mut end) = (Vec::new(), before.len() + 1);
    for directive in found {
        let between = text[end..directive.range.start].trim();
        let is_next = between == if asked.is_empty() { "" } else { "," };
        let id = directive.text.as_ref().ok()?.strip_prefix("claim ").filter(|_| is_next)?;
        asked.push(id.to_owned());
        end = directive.range.end;
        if text[end..].starts_with(')') {
            return Some((before.trim_end().len()..end + 1, asked));
        }
    }
    None
}

/// Returns true if a sentence or a block ends within `text`.
pub fn ends_sentence(text: &str) -> bool {
    pattern!(r"\n\n|\||[.?!]\s|\s[-*]\s").is_match(text)
}

/// A fenced block in the source of a page.
#[derive(Debug)]
pub struct FencedBlock {
    /// The range of the block in the source, including the fences.
    pub range: Range<usize>,
    /// The first word after the opening fence, which is the kind of the block.
    pub word: String,
    /// The line number of the opening fence.
    pub line: usize,
    /// The nearest heading above the block, or an empty string if that is the title of the page.
    pub heading: String,
    /// The text between the fences.
    pub body: String,
}

#[derive(Default)]
pub(super) struct Structure {
    pub blocks: Vec<FencedBlock>,
    pub code: Vec<Range<usize>>,
    /// The byte offsets at which headings begin. Headings in lists and quotations are left out.
    pub headings: Vec<usize>,
}

pub(super) fn structure(text: &str) -> Structure {
    let Structure { mut blocks, mut code, mut headings } = Structure::default();
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
                if range.start == 0 || text[..range.start].ends_with('\n') {
                    headings.push(range.start);
                }
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
    Structure { blocks, code, headings }
}
