//! The parsed source of a page: its directives, blocks and claims.

mod scan;

pub use scan::{DirectiveSource, FencedBlock, directives, ends_sentence, replaced};

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexSet;

use crate::block::BlockError;
use crate::claim::{Claim, ClaimPlace, Family};
use crate::names::FigureNames;
use crate::{Mistake, line_of, pattern};
use scan::{Structure, asides, structure};

/// The parsed source of a page.
#[derive(Debug)]
pub struct Page {
    /// The path of the source, such as `src/spawn-cost.md`, for error messages.
    pub file: String,
    /// The path of the source, relative to `src/`.
    pub source: PathBuf,
    /// The path of the page, relative to `src/`, with the extension `html`.
    pub html: String,
    /// The chapter whose rows the page uses unless it names another one. This is the chapter of
    /// the page itself or of the chapter above it.
    pub chapter: String,
    /// The page as Markdown.
    pub text: String,
    /// The names that the page may use for measured rows.
    pub names: Arc<FigureNames>,
    /// The parts that may be replaced when the page is rendered, in the order of the text.
    pub parts: Vec<PagePart>,
    /// The claims that the page makes, not yet judged.
    pub claims: Vec<Claim>,
    /// The mistakes in the page's claims, and in the names that the page defines.
    pub wrong: Vec<Mistake>,
}

/// A page that has not been parsed yet.
#[derive(Debug, Clone)]
pub struct PageSource {
    /// The path of the source, such as `src/spawn-cost.md`, for error messages.
    pub file: String,
    /// The path of the source, relative to `src/`.
    pub source: PathBuf,
    /// The path that mdBook gives the page, relative to `src/`. mdBook turns README.md into
    /// index.md.
    pub path: PathBuf,
    /// The page as Markdown.
    pub text: String,
}

/// A part of a page that may be replaced when the page is rendered.
#[derive(Debug)]
pub enum PagePart {
    /// A directive: its range, its line, and the text between its braces. The text is an error if
    /// the braces are never closed.
    Directive(Range<usize>, usize, Result<String, String>),
    /// A pair of parentheses that contains only claims: its range (including the space before
    /// it), its line, and the ids of the claims.
    Asides(Range<usize>, usize, Vec<String>),
    /// A fenced block, whether or not rendering replaces it.
    Block(FencedBlock),
    /// The end of a section: an empty range at the beginning of the next heading.
    SectionEnd(Range<usize>),
}

impl PagePart {
    /// Returns the part's place in the text.
    pub fn range(&self) -> &Range<usize> {
        match self {
            PagePart::Directive(range, ..)
            | PagePart::Asides(range, ..)
            | PagePart::Block(FencedBlock { range, .. })
            | PagePart::SectionEnd(range) => range,
        }
    }
}

/// Parses pages. A page may use the names of the chapter above it, so that chapter has to come
/// first, as in a table of contents.
pub fn read_all(sources: Vec<PageSource>) -> Vec<Page> {
    let mut pages = Vec::<Page>::new();
    for source in sources {
        let above = chapter_above(&source.source);
        let above = pages.iter().find(|page| Some(&page.source) == above.as_ref());
        let above = above.map(|above| above.names.clone());
        pages.push(Page::read(source, above));
    }
    pages
}

/// Returns the source of the chapter that a page belongs to: `spawn-cost.md` for
/// `spawn-cost/limits.md`.
fn chapter_above(source: &Path) -> Option<PathBuf> {
    let folder = source.parent()?.iter().next()?;
    Some(Path::new(folder).with_extension("md"))
}

impl Page {
    fn read(source: PageSource, above: Option<Arc<FigureNames>>) -> Page {
        let PageSource { file, source, path, text } = source;
        // The parser recognizes a blank line by two line feeds, so use the same line endings
        // everywhere.
        let text = text.replace("\r\n", "\n");
        let name = Path::new(path.iter().next().unwrap_or_default());
        let Structure { blocks, code, headings } = structure(&text);
        let mut of_names = blocks.iter().filter(|block| block.word == "figures");
        let first = of_names.next();
        let (names, wrong) = FigureNames::read(first.map_or("", |block| &block.body), above);
        let mut page = Page {
            source,
            html: path.with_extension("html").to_string_lossy().replace('\\', "/"),
            chapter: name.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            names: Arc::new(names),
            parts: Vec::new(),
            claims: Vec::new(),
            wrong: Vec::new(),
            file,
            text,
        };
        if let Some(first) = first {
            page.wrong = wrong.into_iter().map(|wrong| page.mistake_in(first, wrong)).collect();
            for block in of_names {
                let first = format!("{}:{}", page.file, first.line);
                let message = format!("names are given at {first} already: write these there");
                page.wrong.push(page.mistake(block.line, message));
            }
        }
        for block in &blocks {
            match page.stated_in(block) {
                Ok(claims) => page.claims.extend(claims),
                Err(wrong) => page.wrong.push(page.mistake_in(block, wrong)),
            }
        }
        page.parts.extend(blocks.into_iter().map(PagePart::Block));
        page.parts.extend(headings.into_iter().map(|start| PagePart::SectionEnd(start..start)));
        let mut found = directives(&page.text);
        found.retain(|found| !code.iter().any(|range| range.contains(&found.range.start)));
        while let [DirectiveSource { range, text }, ..] = &found[..] {
            let line = line_of(&page.text, range.start);
            let (part, count) = match asides(&page.text, &found) {
                Some((range, asked)) => {
                    let count = asked.len();
                    (PagePart::Asides(range, line, asked), count)
                }
                None => (PagePart::Directive(range.clone(), line, text.clone()), 1),
            };
            page.parts.push(part);
            found.drain(..count);
        }
        page.parts.sort_by_key(|part| part.range().start);
        page
    }

    fn stated_in(&self, block: &FencedBlock) -> Result<Vec<Claim>, BlockError> {
        let (place, names) = (self.place(block), &self.names);
        match block.word.as_str() {
            "claim" => Ok(vec![Claim::parse(&block.body, names, place)?]),
            "claims" => Ok(Family::parse(&block.body, names, &place)?.1),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the page's first fenced block whose opening fence is followed by `word`.
    pub fn block(&self, word: &str) -> Option<&FencedBlock> {
        self.parts.iter().find_map(|part| match part {
            PagePart::Block(block) if block.word == word => Some(block),
            _ => None,
        })
    }

    /// Returns the place in the book of the claims in `block`: the page, the line, the heading
    /// and the chapter.
    pub fn place(&self, block: &FencedBlock) -> ClaimPlace {
        ClaimPlace {
            page: self.html.clone(),
            line: block.line,
            question: block.heading.clone(),
            chapter: self.chapter.clone(),
        }
    }

    /// Creates a mistake on a line of this page.
    pub fn mistake(&self, line: usize, message: String) -> Mistake {
        Mistake { file: self.file.clone(), line, message }
    }

    /// Creates a mistake in a block of this page.
    pub fn mistake_in(&self, block: &FencedBlock, wrong: BlockError) -> Mistake {
        self.mistake(block.line + wrong.line_in(&block.body), wrong.message)
    }

    /// Returns a mistake for each name that is defined by the page but is also the name of a
    /// contender.
    pub fn ambiguous_names(&self, contenders: &IndexSet<&str>) -> Vec<Mistake> {
        let message = |name: &str| format!("{name:?} is a contender: give the figure another name");
        self.wrong_names(|name, _| contenders.contains(name), message)
    }

    /// Returns a mistake for each name that the page defines, but that is used neither here nor
    /// on a page below. Call this after rendering all of these pages.
    pub fn unused_names(&self) -> Vec<Mistake> {
        let message =
            |name: &str| format!("nothing asks for {name:?}: use the name, or drop the line");
        self.wrong_names(|_, is_used| !is_used, message)
    }

    fn wrong_names(
        &self,
        is_wrong: impl Fn(&str, bool) -> bool,
        message: impl Fn(&str) -> String,
    ) -> Vec<Mistake> {
        let Some(block) = self.block("figures") else { return Vec::new() };
        let own = self.names.own().filter(|(name, is_used)| is_wrong(name, *is_used));
        own.map(|(name, _)| self.mistake_in(block, BlockError::new(name, message(name)))).collect()
    }

    /// Returns a mistake for each `{{#include ...}}` that names a missing file or anchor. mdBook
    /// would report none: it leaves the directive in the text, or includes nothing. `src` is the
    /// directory of the pages.
    pub fn missing_includes(&self, src: &Path) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let directory = src.join(&self.source).with_file_name("");
        // The capture groups are a backslash (which escapes the directive), the file, and the
        // part after a colon.
        let include = pattern!(
            r"(\\?)\{\{#(?:include|rustdoc_include|playground)\s+([^\s:}]+)(?::([^\s}]*))?[^}]*\}\}"
        );
        for found in include.captures_iter(&self.text).filter(|found| found[1].is_empty()) {
            let (file, part) = (&found[2], found.get(3).map_or("", |part| part.as_str()));
            // After the colon, digits and colons are a range of lines; anything else is the name
            // of an anchor.
            let is_anchor = part.chars().any(|c| !c.is_ascii_digit() && c != ':');
            // Like mdBook, look for the anchor without regard to the kind of comment that it is
            // in.
            let anchor = pattern!(r"ANCHOR:\s*([\w_-]+)");
            let is_it = |line: &str| anchor.captures(line).is_some_and(|it| it[1] == *part);
            let message = match std::fs::read_to_string(directory.join(file)) {
                Err(error) => format!("{file:?} cannot be included: {error}"),
                Ok(text) if is_anchor && !text.lines().any(is_it) => {
                    format!("{file:?} has no `ANCHOR: {part}`")
                }
                Ok(_) => continue,
            };
            mistakes.push(self.mistake(line_of(&self.text, found.get_match().start()), message));
        }
        mistakes
    }

    /// Returns the first heading of the page or, without a heading, the name of its chapter.
    pub fn title(&self) -> &str {
        let heading = self.text.lines().find_map(|line| line.strip_prefix("# "));
        heading.map_or(&self.chapter, str::trim)
    }

    /// Returns true if the page contains this directive.
    pub fn asks_for(&self, directive: &str) -> bool {
        let is_it = |part: &PagePart| matches!(part, PagePart::Directive(_, _, Ok(text)) if text == directive);
        self.parts.iter().any(is_it)
    }
}
