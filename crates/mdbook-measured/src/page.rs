//! A page of the book: finds what is asked of the data, and puts it in.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use measurement::Evidence;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::chart::{self, Place};
use crate::claim::{self, Claim, Finding, Subject, badge};
use crate::config::Config;
use crate::data::{ChapterData, Data, LOCAL};
use crate::format::Form;
use crate::html::{anchor, escape, to_root};
use crate::index::index;
use crate::ledger::ledger;
use crate::published::Published;
use crate::records::Records;
use crate::select::{Missing, Selector, Term, nearest, parse_ratio};
use crate::{Mistake, assets, format, line_of, machines, order, plot, trials};

/// A page as it stands in the source.
pub(crate) struct Page {
    /// `src/spawn-cost.md`, for messages.
    file: String,
    /// Its file, relative to src/.
    source: PathBuf,
    /// Relative to src/, as mdBook will write it: README.md becomes index.md.
    path: PathBuf,
    /// Whose rows are meant where no chapter is named: the page's name.
    chapter: String,
    text: String,
    parts: Vec<Part>,
}

/// A piece of the page that is replaced.
struct Part {
    range: Range<usize>,
    line: usize,
    kind: Kind,
}

enum Kind {
    /// The text between `{{` and `}}`.
    Directive(String),
    /// A fenced block of one of our languages, and its text.
    Block(Language, String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Chart,
    Claim,
    Plot,
}

/// What became of a page.
pub(crate) struct Rendered {
    /// The page with every part replaced.
    pub(crate) text: String,
    /// The ids of its charts, with their lines.
    pub(crate) charts: Vec<(String, usize)>,
    /// What is wrong with it.
    pub(crate) mistakes: Vec<Mistake>,
}

/// Everything that pages are rendered with.
pub(crate) struct Book<'a> {
    pub(crate) data: &'a Data,
    pub(crate) config: &'a Config,
    pub(crate) published: &'a Published,
    /// Since when each claim has stood as it stands; none for a book that does not record it.
    pub(crate) records: Option<&'a Records>,
    /// All claims, in the order of the pages.
    pub(crate) claims: &'a [Claim],
    /// The page that holds the ledger, relative to src/, as HTML.
    pub(crate) ledger: Option<&'a str>,
    /// The title of each page, by its place as HTML.
    pub(crate) titles: &'a HashMap<String, String>,
}

impl Book<'_> {
    /// A link to a published claim in the ledger, or just the text in a book without one.
    pub(crate) fn to_ledger(&self, id: &str, text: &str, to_root: &str) -> String {
        let text = escape(text);
        match self.ledger {
            Some(page) => {
                let anchor = anchor("published", id);
                format!(
                    "<a class=\"measured-published\" href=\"{to_root}{page}#{anchor}\">{text}</a>"
                )
            }
            None => text,
        }
    }
}

impl Page {
    /// Finds the parts of a page.
    pub(crate) fn read(file: String, source: PathBuf, path: PathBuf, text: String) -> Page {
        let (mut parts, code) = blocks(&text);
        parts.extend(directives(&text, &code));
        parts.sort_by_key(|part| part.range.start);
        let chapter = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Page { file, source, path, chapter, text, parts }
    }

    pub(crate) fn mistake(&self, line: usize, message: String) -> Mistake {
        Mistake { file: self.file.clone(), line, message }
    }

    /// The claims that stand on this page, not yet judged, and what is wrong with others.
    pub(crate) fn stated(&self) -> (Vec<Claim>, Vec<Mistake>) {
        let page = self.html();
        let (mut claims, mut mistakes) = (Vec::new(), Vec::new());
        for part in &self.parts {
            let Kind::Block(Language::Claim, body) = &part.kind else { continue };
            match Claim::parse(body, &page, part.line, &self.chapter) {
                Ok(claim) => claims.push(claim),
                Err((line, message)) => mistakes.push(self.mistake(part.line + line, message)),
            }
        }
        (claims, mistakes)
    }

    /// The claims that stand on this page, each judged, and what is wrong with others.
    pub(crate) fn claims(&self, data: &Data, published: &Published) -> (Vec<Claim>, Vec<Mistake>) {
        let (stated, mut mistakes) = self.stated();
        let mut claims = Vec::new();
        for mut claim in stated {
            match claim.judge(data, published) {
                Ok(()) => claims.push(claim),
                Err(message) => mistakes.push(self.mistake(claim.line, message)),
            }
        }
        (claims, mistakes)
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
        let is_ledger =
            |part: &Part| matches!(&part.kind, Kind::Directive(text) if text == "ledger");
        self.parts.iter().any(is_ledger)
    }

    /// The file, relative to src/.
    pub(crate) fn source(&self) -> &Path {
        &self.source
    }

    /// The page with every part replaced.
    pub(crate) fn render(&self, book: &Book<'_>) -> Rendered {
        let to_root = to_root(&self.path);
        let (mut charts, mut mistakes) = (Vec::new(), Vec::new());
        let mut text = format!("{}\n\n{}", assets::tags(&to_root), self.stale(book));
        let mut end = 0;
        for part in &self.parts {
            text += &self.text[end..part.range.start];
            end = part.range.end;
            let replacement = match &part.kind {
                Kind::Directive(text) => {
                    self.directive(text, book, &to_root, Form::Full).map_err(|m| (0, m))
                }
                Kind::Block(Language::Chart, body) => {
                    let (data, config) = (book.data, book.config);
                    let inline = |text: &str| self.inline(text, book, &to_root);
                    let place = Place { data, config, chapter: &self.chapter, inline: &inline };
                    chart::render(body, &place).map(|(id, html)| {
                        charts.push((id, part.line));
                        format!("\n{html}\n\n")
                    })
                }
                Kind::Block(Language::Claim, _) => Ok(self.card(part, book, &to_root)),
                Kind::Block(Language::Plot, body) => self.plot(part, body),
            };
            match replacement {
                Ok(html) => text += &html,
                Err((line, message)) => mistakes.push(self.mistake(part.line + line, message)),
            }
        }
        text += &self.text[end..];
        Rendered { text, charts, mistakes }
    }

    /// A note at the top of the page if the data of its chapter are stale.
    fn stale(&self, book: &Book<'_>) -> String {
        let Some(data) = book.data.chapter(&book.config.reference, &self.chapter) else {
            return String::new();
        };
        let stale = data.all_stale();
        if stale.is_empty() {
            return String::new();
        }
        let reasons: Vec<String> = stale.iter().map(|stale| escape(&stale.to_string())).collect();
        format!(
            "<p class=\"measured-stale\"><strong>The data of this page are stale:</strong> {}.</p>\n\n",
            reasons.join("; ")
        )
    }

    fn card(&self, part: &Part, book: &Book<'_>, to_root: &str) -> String {
        let page = self.html();
        let is_it = |claim: &&Claim| claim.page == page && claim.line == part.line;
        // One that could not be read or judged has been reported already.
        let claim = book.claims.iter().find(is_it);
        let card = claim.map(|claim| claim.card(book, to_root));
        format!("\n{}\n\n", card.unwrap_or_default())
    }

    fn plot(&self, part: &Part, body: &str) -> Result<String, (usize, String)> {
        let plot = plot::parse(body)?;
        let id = anchor("plot", &format!("{}-{}", self.chapter, part.line));
        let label = "A drawing, described in the text around it";
        let view = plot::View { machine: String::new(), scale: "", plot };
        let element = plot::element(label, 26.0, vec![view]).map_err(|message| (1, message))?;
        Ok(format!("\n<figure class=\"measured-chart\" id=\"{id}\">\n{element}\n</figure>\n\n"))
    }

    /// A title with its directives replaced, briefly, as HTML.
    fn inline(&self, text: &str, book: &Book<'_>, to_root: &str) -> Result<String, String> {
        let mut html = String::new();
        let mut end = 0;
        for part in directives(text, &[]) {
            let Kind::Directive(directive) = &part.kind else { continue };
            html += &escape(&text[end..part.range.start]);
            html += &self.directive(directive, book, to_root, Form::Brief)?;
            end = part.range.end;
        }
        Ok(html + &escape(&text[end..]))
    }

    fn directive(
        &self,
        text: &str,
        book: &Book<'_>,
        to_root: &str,
        form: Form,
    ) -> Result<String, String> {
        if text == UNCLOSED {
            return Err("a directive begins here and is never closed: write `}}` behind it, or `\\{{` if it is none".to_owned());
        }
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match word {
            "number" => self.on_each_machine(&Subject::Value(Term::parse(rest)?), book, form),
            "ratio" => {
                let (left, right) = parse_ratio(rest)?;
                self.on_each_machine(&Subject::Ratio(left, right), book, form)
            }
            "claim" => {
                let ids: Vec<&str> = book.claims.iter().map(|claim| claim.id.as_str()).collect();
                let found = book.claims.iter().find(|claim| claim.id == rest);
                let claim =
                    found.ok_or_else(|| format!("no claim is {rest:?}{}", nearest(rest, &ids)))?;
                let verdicts = claim.judgements.iter().filter_map(|judgement| {
                    match judgement.machine.as_str() {
                        LOCAL => Some(format!(" (yours: {})", badge(&judgement.verdict))),
                        name if name == claim.reference => Some(badge(&judgement.verdict)),
                        _ => None,
                    }
                });
                let verdict: String = verdicts.collect();
                let here = match claim.page == self.html() {
                    true => String::new(),
                    false => format!("{to_root}{}", claim.page),
                };
                Ok(format!("<a href=\"{here}#{}\">{verdict}</a>", anchor("claim", &claim.id)))
            }
            "published" => {
                let (id, key) = rest
                    .split_once(char::is_whitespace)
                    .ok_or("write it as {{published id figure}}")?;
                let published = book.published.claim(id)?;
                let figure = published.figure(key.trim())?;
                Ok(book.to_ledger(id, &figure, to_root))
            }
            "parameter" => {
                let selector = Selector::parse(rest)?;
                let [(_, value)] = &selector.parameters[..] else {
                    return Err("write it as {{parameter experiment: name=value}}".to_owned());
                };
                let chapter = selector.chapter.as_deref().unwrap_or(&self.chapter);
                selector.all(&self.reference(chapter, &selector.experiment, book)?.evidence)?;
                Ok(escape(&format::thousands(value)))
            }
            "fact" => {
                let form = "write it as {{fact \"512 KiB\" where it is from}}";
                let (fact, source) =
                    rest.strip_prefix('"').and_then(|r| r.split_once('"')).ok_or(form)?;
                if source.trim().is_empty() {
                    return Err(form.to_owned());
                }
                let (fact, source) = (escape(fact), escape(source.trim()));
                Ok(format!("<span class=\"measured-fact\" title=\"{source}\">{fact}</span>"))
            }
            "factor" => self.factor(rest, book, form),
            "order" => self.order(rest, book, form),
            "ledger" => Ok(ledger(book, to_root)),
            "claims" => Ok(index(book, to_root)),
            "machines" => Ok(machines::tables(book.data)),
            "floors" => Ok(machines::floors(book.data)),
            "runs" => Ok(trials::table(book.data, book.claims)),
            _ => {
                let known = [
                    "number",
                    "ratio",
                    "claim",
                    "published",
                    "parameter",
                    "fact",
                    "factor",
                    "order",
                    "ledger",
                    "claims",
                    "machines",
                    "floors",
                    "runs",
                ];
                Err(format!("no directive is {word:?}{}", nearest(word, &known)))
            }
        }
    }

    /// What is found on the reference machine, and behind it what is found on the reader's own.
    fn on_each_machine(
        &self,
        subject: &Subject,
        book: &Book<'_>,
        form: Form,
    ) -> Result<String, String> {
        let chapter = subject.chapter().unwrap_or(&self.chapter);
        let data = self.reference(chapter, subject.experiment(), book)?;
        let of = subject.to_string();
        let shown = |found: Result<Finding, String>| match found {
            Ok(finding) => number(&of, &finding.figure(form), &finding.range()),
            Err(reason) => number(&of, "not measured", &reason),
        };
        let mut html = match subject.find(&data.evidence) {
            Ok(finding) => shown(Ok(finding)),
            Err(Missing::Unmeasured(reason)) => shown(Err(reason)),
            Err(Missing::Mistake(message)) => return Err(message),
        };
        if let Some(own) = book.data.chapter(LOCAL, chapter) {
            let own = match subject.find(&own.evidence) {
                Ok(finding) => Some(shown(Ok(finding))),
                Err(Missing::Unmeasured(reason)) => Some(shown(Err(reason))),
                // A quick or filtered run may lack the row; then there is only ours.
                Err(Missing::Mistake(_)) => None,
            };
            html.extend(own.map(|own| yours(&own)));
        }
        Ok(html)
    }

    /// Rows in the order of their figures, each with its own, and in between whether they differ.
    fn order(&self, text: &str, book: &Book<'_>, form: Form) -> Result<String, String> {
        let (text, floor) = with_floor(text);
        let selector = Selector::parse(text)?;
        let chapter = selector.chapter.as_deref().unwrap_or(&self.chapter);
        let in_words = |evidence: &Evidence| order::in_words(&selector, evidence, floor, form);
        let mut html = in_words(&self.reference(chapter, &selector.experiment, book)?.evidence)?;
        let own = book.data.chapter(LOCAL, chapter);
        // A quick or filtered run may lack some of the rows; then there is only ours.
        let own = own.and_then(|own| in_words(&own.evidence).ok());
        html.extend(own.map(|own| yours(&own)));
        Ok(html)
    }

    /// A ratio as a factor, or that no difference was detected.
    fn factor(&self, text: &str, book: &Book<'_>, form: Form) -> Result<String, String> {
        let (text, floor) = with_floor(text);
        let (left, right) = parse_ratio(text)?;
        let subject = Subject::Ratio(left, right);
        let chapter = subject.chapter().unwrap_or(&self.chapter);
        let of = subject.to_string();
        let factor = |evidence: &Evidence| -> Result<String, Missing> {
            let finding = subject.find(evidence)?;
            let floor = subject.floor(evidence, floor)?;
            Ok(number(&of, &finding.factor(floor, form), &finding.range()))
        };
        let mut html = match factor(&self.reference(chapter, subject.experiment(), book)?.evidence)
        {
            Ok(html) => html,
            Err(Missing::Unmeasured(reason)) => number(&of, "not measured", &reason),
            Err(Missing::Mistake(message)) => return Err(message),
        };
        let own = book.data.chapter(LOCAL, chapter);
        let own = own.and_then(|own| factor(&own.evidence).ok());
        html.extend(own.map(|own| yours(&own)));
        Ok(html)
    }

    /// What the machine says whose figures the pages tell of an experiment.
    fn reference<'a>(
        &self,
        chapter: &str,
        experiment: &str,
        book: &Book<'a>,
    ) -> Result<&'a ChapterData, String> {
        let reference = book.data.reference(chapter, experiment);
        let data = book.data.chapter(reference, chapter);
        data.ok_or_else(|| claim::missing_run(reference, chapter))
    }
}

/// A noise floor may be named behind a semicolon.
fn with_floor(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(';') {
        Some((text, class)) => (text.trim(), Some(class.trim())),
        None => (text, None),
    }
}

/// What the reader's own run says, behind what the reference says.
fn yours(figure: &str) -> String {
    format!(" <span class=\"measured-yours\">(yours: {figure})</span>")
}

/// A figure with its interval, which a pointer, a screen reader and a button bring forward. `of` says
/// whose it is.
pub(crate) fn number(of: &str, figure: &str, range: &str) -> String {
    // A unit stays beside its number: what is behind a digit.
    let mut was_digit = false;
    let unbroken = |c: char| {
        let stays = was_digit && c == ' ';
        was_digit = c.is_ascii_digit();
        if stays { '\u{a0}' } else { c }
    };
    let figure: String = figure.chars().map(unbroken).collect();
    let (of, figure, range) = (escape(of), escape(&figure), escape(range));
    format!(
        "<span class=\"measured-number\" data-of=\"{of}\">{figure}{INTERVAL} ({range})</span></span>"
    )
}

/// How the interval of a figure begins.
const INTERVAL: &str = "<span class=\"measured-interval\">";

/// A piece of HTML whose figures have lost their intervals, where a text is to stay short.
pub(crate) fn without_intervals(html: &str) -> String {
    let mut pieces = html.split(INTERVAL);
    let before = pieces.next().unwrap_or_default().to_owned();
    let behind = pieces.filter_map(|piece| Some(piece.split_once("</span>")?.1));
    behind.fold(before, |html, piece| html + piece)
}

/// Our fenced blocks with their text, and the ranges of all code, in which nothing is a directive.
fn blocks(text: &str) -> (Vec<Part>, Vec<Range<usize>>) {
    let (mut ours, mut code) = (Vec::new(), Vec::new());
    let mut open: Option<(Language, String)> = None;
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => match info.split([',', ' ']).next() {
                        Some("chart") => Some(Language::Chart),
                        Some("claim") => Some(Language::Claim),
                        Some("plot" | "plotly") => Some(Language::Plot),
                        _ => None,
                    },
                    CodeBlockKind::Indented => None,
                };
                open = language.map(|language| (language, String::new()));
            }
            Event::Text(piece) if open.is_some() => {
                if let Some((_, body)) = &mut open {
                    body.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, body)) = open.take() {
                    let line = line_of(text, range.start);
                    let kind = Kind::Block(language, body);
                    ours.push(Part { range: range.clone(), line, kind });
                }
                code.push(range);
            }
            Event::Code(_) => code.push(range),
            _ => {}
        }
    }
    (ours, code)
}

/// Stands for the text of a directive that has no end.
const UNCLOSED: &str = "{{";

/// `{{...}}` outside of code, but mdBook's own `{{#...}}`.
fn directives(text: &str, code: &[Range<usize>]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("{{").map(|found| from + found) {
        from = start + 2;
        let is_code = code.iter().any(|range| range.contains(&start));
        let escaped = text[..start].ends_with('\\');
        if is_code || escaped || text[from..].starts_with('#') {
            continue;
        }
        let line = line_of(text, start);
        let rest = &text[from..];
        // One that is never closed is reported as what it looks like.
        let end = rest.find("}}").filter(|&end| !rest[..end].contains("\n\n"));
        let (inner, end) = match end {
            Some(end) => {
                (rest[..end].split_whitespace().collect::<Vec<_>>().join(" "), from + end + 2)
            }
            None => (UNCLOSED.to_owned(), from),
        };
        parts.push(Part { range: start..end, line, kind: Kind::Directive(inner) });
        from = end;
    }
    parts
}
