//! A page of the book as it stands in its source: what it asks for, read once.

pub(crate) mod context;
pub(crate) mod directive;
pub(crate) mod drawing;
pub(crate) mod language;
pub mod prose_rules;
pub(crate) mod render;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use measurement::LineError;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::block::calculator::Calculator;
use crate::block::costs::{self, CostRow};
use crate::block::predict::{self, Question};
use crate::block::table::FigureTable;
use crate::claim::family::Family;
use crate::claim::judged::JudgedClaim;
use crate::claim::{Claim, ClaimPlace};
use crate::data::Data;
use crate::data::published::Published;
use crate::figure::names::FigureNames;
use crate::page::directive::{All, Directive, scan};
use crate::{Mistake, line_of};

/// A page as it stands in the source.
pub(crate) struct Page {
    /// `src/spawn-cost.md`, for messages.
    file: String,
    /// Its file, relative to src/.
    source: PathBuf,
    /// Relative to src/, as mdBook will write it: README.md becomes index.md.
    path: PathBuf,
    /// Whose rows are meant where no chapter is named: the page's name, or that of the chapter above it.
    chapter: String,
    text: String,
    /// The names that hold on it.
    names: Arc<FigureNames>,
    /// Where its `figures` block begins.
    line_of_names: usize,
    parts: Vec<PagePart>,
    /// The claims that stand on it, not yet judged.
    claims: Vec<Claim>,
    /// What is wrong with its claims, or with the names that they may use.
    wrong_claims: Vec<Mistake>,
    /// What else is wrong with it.
    wrong: Vec<Mistake>,
}

/// What a page is read from.
#[derive(Debug, Clone)]
pub struct PageSource {
    /// `src/spawn-cost.md`, for messages.
    pub file: String,
    /// Relative to src/.
    pub source: PathBuf,
    /// Relative to src/, as mdBook will write it.
    pub path: PathBuf,
    /// What stands in it.
    pub text: String,
}

/// A piece of the page that is replaced.
pub(crate) struct PagePart {
    pub(crate) range: Range<usize>,
    pub(crate) line: usize,
    pub(crate) content: PartContent,
}

/// What stands in a part.
pub(crate) enum PartContent {
    Directive(Box<Directive>),
    Chart(String),
    Timeline(String),
    /// The id of a claim.
    Claim(String),
    Claims(Family),
    Table(FigureTable),
    Predict(Vec<Question>),
    Calculator(Calculator),
    Costs(Vec<CostRow>),
    /// Names, of which nothing is shown, or what could not be read.
    Nothing,
}

/// A fenced block of one of our languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Figures,
    Chart,
    Timeline,
    Claim,
    Claims,
    Table,
    Predict,
    Calculator,
    Costs,
}

/// The word behind the fence of each.
pub(crate) const BLOCK_KINDS: [(&str, BlockKind); 9] = [
    ("figures", BlockKind::Figures),
    ("table", BlockKind::Table),
    ("predict", BlockKind::Predict),
    ("calculator", BlockKind::Calculator),
    ("costs", BlockKind::Costs),
    ("claim", BlockKind::Claim),
    ("claims", BlockKind::Claims),
    ("chart", BlockKind::Chart),
    ("timeline", BlockKind::Timeline),
];

/// A block as it was found.
struct FencedBlock {
    language: BlockKind,
    range: Range<usize>,
    line: usize,
    /// The heading above it, below the page's title.
    heading: String,
    body: String,
}

/// Reads pages, each with the names of the chapter above it.
pub(crate) fn read_all(sources: Vec<PageSource>) -> Vec<Page> {
    // Chapters first.
    let (below, chapters): (Vec<_>, Vec<_>) = sources
        .into_iter()
        .enumerate()
        .partition(|(_, page)| chapter_above(&page.source).is_some());
    let mut names: HashMap<PathBuf, Arc<FigureNames>> = HashMap::new();
    let mut pages = Vec::new();
    for (place, source) in chapters.into_iter().chain(below) {
        let above = chapter_above(&source.source).and_then(|chapter| names.get(&chapter).cloned());
        let page = Page::read(source, above);
        names.insert(page.source.clone(), page.names.clone());
        pages.push((place, page));
    }
    pages.sort_by_key(|(place, _)| *place);
    pages.into_iter().map(|(_, page)| page).collect()
}

/// The source of the chapter whose folder a page is in: `spawn-cost.md` of `spawn-cost/limits.md`.
pub fn chapter_above(source: &Path) -> Option<PathBuf> {
    let folder = source.parent()?.components().next()?;
    Some(Path::new(&folder).with_extension("md"))
}

impl Page {
    fn read(source: PageSource, above: Option<Arc<FigureNames>>) -> Page {
        let PageSource { file, source, path, text } = source;
        let folder = path.parent().and_then(|folder| folder.components().next());
        let name =
            folder.map_or(path.file_stem(), |folder| Path::new(folder.as_os_str()).file_stem());
        let chapter = name.unwrap_or_default().to_string_lossy().into_owned();
        let (blocks, code) = blocks(&text);
        let mut page = Page {
            file,
            source,
            path,
            chapter,
            names: Arc::default(),
            line_of_names: 0,
            parts: Vec::new(),
            claims: Vec::new(),
            wrong_claims: Vec::new(),
            wrong: Vec::new(),
            text,
        };
        page.read_names(&blocks, above);
        for block in blocks {
            page.read_block(block);
        }
        for found in scan(&page.text) {
            if code.iter().any(|range| range.contains(&found.range.start)) {
                continue;
            }
            let line = line_of(&page.text, found.range.start);
            let content = match found.text.and_then(|text| Directive::read(&text, &page.names)) {
                Ok(directive) => PartContent::Directive(Box::new(directive)),
                Err(message) => {
                    page.wrong.push(page.mistake(line, message));
                    PartContent::Nothing
                }
            };
            page.parts.push(PagePart { range: found.range, line, content });
        }
        page.parts.sort_by_key(|part| part.range.start);
        page
    }

    fn read_names(&mut self, blocks: &[FencedBlock], above: Option<Arc<FigureNames>>) {
        let mut of_names = blocks.iter().filter(|block| block.language == BlockKind::Figures);
        let names = match of_names.next() {
            Some(block) => {
                self.line_of_names = block.line;
                let (names, wrong) = FigureNames::read(&block.body, above);
                let wrong = wrong.into_iter().map(|wrong| self.mistake_below(block.line, wrong));
                self.wrong_claims.extend(wrong.collect::<Vec<_>>());
                names
            }
            None => above.map_or_else(FigureNames::default, FigureNames::above),
        };
        self.names = Arc::new(names);
        for block in of_names {
            let first = self.line_of_names;
            let message =
                format!("names are given at {}:{first} already: write these there", self.file);
            self.wrong_claims.push(self.mistake(block.line, message));
        }
    }

    fn read_block(&mut self, block: FencedBlock) {
        let FencedBlock { language, range, line, heading, body } = block;
        let (page, chapter) = (self.html(), self.chapter.clone());
        let place = ClaimPlace { page, line, question: heading, chapter };
        let content = match language {
            BlockKind::Figures => Ok(PartContent::Nothing),
            BlockKind::Chart => Ok(PartContent::Chart(body)),
            BlockKind::Timeline => Ok(PartContent::Timeline(body)),
            BlockKind::Table => FigureTable::parse(&body, &self.names).map(PartContent::Table),
            BlockKind::Predict => predict::parse(&body, &self.names).map(PartContent::Predict),
            BlockKind::Calculator => {
                Calculator::parse(&body, &self.names).map(PartContent::Calculator)
            }
            BlockKind::Costs => costs::parse(&body, &self.names).map(PartContent::Costs),
            BlockKind::Claim => Claim::parse(&body, &self.names, place).map(|claim| {
                self.claims.push(claim.clone());
                PartContent::Claim(claim.id)
            }),
            BlockKind::Claims => {
                Family::parse(&body, &self.names, &place).map(|(family, claims)| {
                    self.claims.extend(claims);
                    PartContent::Claims(family)
                })
            }
        };
        let content = content.unwrap_or_else(|wrong| {
            let mistake = self.mistake_below(line, wrong);
            match language {
                BlockKind::Claim | BlockKind::Claims => self.wrong_claims.push(mistake),
                _ => self.wrong.push(mistake),
            }
            PartContent::Nothing
        });
        self.parts.push(PagePart { range, line, content });
    }

    pub(crate) fn mistake(&self, line: usize, message: String) -> Mistake {
        Mistake { file: self.file.clone(), line, message }
    }

    /// What is wrong with a text that stands below a line, as a block below its fence.
    pub(crate) fn mistake_below(&self, line: usize, wrong: LineError) -> Mistake {
        self.mistake(line + wrong.line, wrong.message)
    }

    /// The claims that stand on this page, not yet judged, and what is wrong with others.
    pub(crate) fn stated(&self) -> (Vec<Claim>, Vec<Mistake>) {
        (self.claims.clone(), self.wrong_claims.clone())
    }

    /// The claims that stand on this page, each judged, and what is wrong with others.
    pub(crate) fn judged(
        &self,
        data: &Data,
        published: &Published,
    ) -> (Vec<JudgedClaim>, Vec<Mistake>) {
        let (mut judged, mut mistakes) = (Vec::new(), self.wrong_claims.clone());
        for claim in &self.claims {
            match JudgedClaim::of(claim.clone(), data, published) {
                Ok(claim) => judged.push(claim),
                Err(message) => mistakes.push(self.mistake(claim.place.line, message)),
            }
        }
        (judged, mistakes)
    }

    /// What is wrong with the page but for its claims.
    pub(crate) fn wrong(&self) -> &[Mistake] {
        &self.wrong
    }

    /// The names that it gives to what these data call so: whom a name means could not be told.
    pub(crate) fn ambiguous_names(&self, data: &Data) -> Vec<Mistake> {
        let taken = data.contenders();
        let own = self.names.own().filter(|(name, _)| taken.contains(name));
        let mistakes = own.map(|(name, line)| {
            let message = format!("{name:?} is a contender: give the figure another name");
            self.mistake(self.line_of_names + line, message)
        });
        mistakes.collect()
    }

    /// The names that it gives, and that neither it nor a page below it asks for: known when all of them
    /// are rendered.
    pub(crate) fn unused_names(&self) -> Vec<Mistake> {
        let mistakes = self.names.unused().map(|(name, line)| {
            let message = format!("nothing asks for {name:?}: use the name, or drop the line");
            self.mistake(self.line_of_names + line, message)
        });
        mistakes.collect()
    }

    /// Which of the files and anchors that the page includes with mdBook's `{{#include ...}}` are not
    /// there, for a book whose pages are in `src` under `root`: mdBook itself would leave the
    /// directive in the text, or include nothing.
    pub(crate) fn missing_includes(&self, root: &Path, src: &Path) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let directory = src.join(self.source.parent().unwrap_or(Path::new("")));
        for (start, _) in self.text.match_indices("{{#") {
            let Some(end) = self.text[start..].find("}}") else { continue };
            let mut words = self.text[start + 3..start + end].split_whitespace();
            let is_include =
                matches!(words.next(), Some("include" | "rustdoc_include" | "playground"));
            let (Some(target), true, false) =
                (words.next(), is_include, self.text[..start].ends_with('\\'))
            else {
                continue;
            };
            let (file, part) = target.split_once(':').unwrap_or((target, ""));
            let message = match std::fs::read_to_string(root.join(&directory).join(file)) {
                Err(error) => format!("{file:?} cannot be included: {error}"),
                Ok(text) => {
                    // Lines are numbers and colons, anything else is an anchor.
                    let is_anchor = part.chars().any(|c| !c.is_ascii_digit() && c != ':');
                    let found = text.lines().any(|line| {
                        let anchor = line.split("ANCHOR: ").nth(1).map(str::trim);
                        anchor == Some(part)
                    });
                    if !is_anchor || found {
                        continue;
                    }
                    format!("{file:?} has no `ANCHOR: {part}`")
                }
            };
            mistakes.push(self.mistake(line_of(&self.text, start), message));
        }
        mistakes
    }

    /// The file, for messages.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The page as HTML, relative to the root of the site.
    pub(crate) fn html(&self) -> String {
        self.path.with_extension("html").to_string_lossy().replace('\\', "/")
    }

    /// Its first heading, or the name of its file.
    pub(crate) fn title(&self) -> &str {
        let heading = self.text.lines().find_map(|line| line.strip_prefix("# "));
        heading.map_or(&self.chapter, str::trim)
    }

    /// Whether the ledger stands on this page.
    pub(crate) fn holds_ledger(&self) -> bool {
        let is_ledger = |part: &PagePart| match &part.content {
            PartContent::Directive(directive) => matches!(**directive, Directive::All(All::Ledger)),
            _ => false,
        };
        self.parts.iter().any(is_ledger)
    }

    /// The file, relative to src/.
    pub(crate) fn source(&self) -> &Path {
        &self.source
    }

    /// Relative to src/, as mdBook will write it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whose rows are meant where no chapter is named.
    pub(crate) fn chapter(&self) -> &str {
        &self.chapter
    }

    /// The names that hold on it.
    pub(crate) fn names(&self) -> &FigureNames {
        &self.names
    }

    /// What stands in the source.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What is replaced, in the order of the text.
    pub(crate) fn parts(&self) -> &[PagePart] {
        &self.parts
    }
}

/// Our fenced blocks with their text, and the ranges of all code, in which nothing is a directive.
fn blocks(text: &str) -> (Vec<FencedBlock>, Vec<Range<usize>>) {
    let (mut ours, mut code) = (Vec::new(), Vec::new());
    let mut open: Option<(BlockKind, String)> = None;
    let (mut heading, mut is_heading) = (String::new(), false);
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        let word = info.split([',', ' ']).next();
                        let known = BLOCK_KINDS.iter().find(|(known, _)| Some(*known) == word);
                        known.map(|(_, language)| *language)
                    }
                    CodeBlockKind::Indented => None,
                };
                open = language.map(|language| (language, String::new()));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                is_heading = level != HeadingLevel::H1;
                heading.clear();
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Text(piece) if is_heading => heading.push_str(&piece),
            Event::Text(piece) if open.is_some() => {
                if let Some((_, body)) = &mut open {
                    body.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, body)) = open.take() {
                    let line = line_of(text, range.start);
                    let heading = heading.clone();
                    let range = range.clone();
                    ours.push(FencedBlock { language, range, line, heading, body });
                }
                code.push(range);
            }
            Event::Code(piece) => {
                if is_heading {
                    heading.push_str(&piece);
                }
                code.push(range);
            }
            _ => {}
        }
    }
    (ours, code)
}
