//! Renders a page by replacing its directives and blocks.

use std::ops::Range;

use findings::Analysis;
use findings::claim::JudgedClaim;
use language::Mistake;
use language::block::{BlockError, BlockKind};
use language::directive::Directive;
use language::page::{FencedBlock, Page, PagePart, ends_sentence};

use crate::assets::{self, Script};
use crate::block::{self, Shown};
use crate::claim::card::fold;
use crate::directive::{ask, tell, told};
use crate::html::{Html, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;

#[derive(Default)]
pub(crate) struct Rendered {
    pub text: String,
    /// The ids of the page's charts, each with the line on which its block begins.
    pub charts: Vec<(String, usize)>,
    pub scripts: Vec<Script>,
    pub mistakes: Vec<Mistake>,
}

pub(crate) fn render(page: &Page, book: &Analysis) -> Rendered {
    let on = OnPage { page, book };
    let stale = book.data.stale(&page.chapter);
    let stale = (!stale.is_empty()).then(|| {
        html!(
            "<p class=\"measured-stale\"><strong>The data of this page are stale:</strong> {}.</p>\n\n",
            Vec::from_iter(stale).join("; ")
        )
    });
    let Html(text) = html!("{}\n\n{}", Html(assets::tags(&on.root())), stale);
    let mut rendering = Rendering {
        on,
        done: Rendered { text, ..Rendered::default() },
        last_figure: None,
        claims: Vec::new(),
        has_claims: false,
    };
    let mut end = 0;
    for part in &page.parts {
        rendering.done.text += &page.text[end..part.range().start];
        end = part.range().end;
        let done = match part {
            PagePart::Directive(range, line, asked) => {
                let done = rendering.directive(range, asked.clone());
                done.map_err(|message| page.mistake(*line, message))
            }
            PagePart::Asides(range, line, asked) => {
                let done = rendering.asides(range, asked);
                done.map_err(|message| page.mistake(*line, message))
            }
            PagePart::Block(block) => {
                rendering.block(block).map_err(|wrong| page.mistake_in(block, wrong))
            }
            PagePart::SectionEnd(_) => {
                rendering.end_section();
                Ok(())
            }
        };
        rendering.done.mistakes.extend(done.err());
    }
    rendering.done.text += &page.text[end..];
    rendering.end_section();
    rendering.done
}

/// Renders a directive as plain text, as it would appear on the page with the HTML file `html`.
///
/// # Errors
///
/// If there is no such page, or the directive fails.
pub fn in_letters(book: &Analysis, html: &str, directive: &str) -> Result<String, String> {
    let page = book.pages.iter().find(|page| page.html == html);
    let page = page.ok_or_else(|| format!("there is no page {html:?}"))?;
    Ok(tell(directive, &OnPage { page, book })?.plain().to_owned())
}

struct Rendering<'a> {
    on: OnPage<'a>,
    done: Rendered,
    /// The last figure: its range in the rendered text, and the end of its directive in the
    /// source.
    last_figure: Option<(Range<usize>, usize)>,
    claims: Vec<&'a JudgedClaim>,
    /// True if an earlier section of the page has claims.
    has_claims: bool,
}

impl Rendering<'_> {
    fn directive(
        &mut self,
        at: &Range<usize>,
        asked: Result<String, String>,
    ) -> Result<(), String> {
        let directive = ask(&asked?, &self.on)?;
        let is_figure = matches!(directive, Directive::Figure(_));
        let start = self.done.text.len();
        self.done.text += &told(&directive, &self.on)?.html().0;
        if is_figure {
            self.last_figure = Some((start..self.done.text.len(), at.end));
        }
        Ok(())
    }

    /// Replaces a parenthesis that refers to claims. If claims need a remark, such as that one is
    /// undecided, the parenthesis keeps only the remarks. The figure before it in the sentence
    /// becomes a link to the first claim that needs none.
    fn asides(&mut self, at: &Range<usize>, ids: &[String]) -> Result<(), String> {
        let (on, source) = (self.on, &self.on.page.text);
        let (mut said, mut silent) = (Vec::<RichText>::new(), None);
        for id in ids {
            let judged = on.asked(id)?;
            match on.exception(judged) {
                None => silent = silent.or(Some(judged)),
                Some(told) if said.iter().all(|other| other.plain() != told.plain()) => {
                    said.push(told);
                }
                Some(_) => {}
            }
        }
        let figure = self.last_figure.take();
        let in_sentence = figure.filter(|(_, end)| !ends_sentence(&source[*end..at.start]));
        if let Some(((figure, _), judged)) = in_sentence.zip(silent) {
            let alone = Html(self.done.text[figure.clone()].to_owned());
            let Html(linked) = on.claimed(&alone, judged);
            self.done.text.replace_range(figure, &linked);
        }
        if !said.is_empty() {
            let space = source[at.clone()].split('(').next().unwrap_or_default();
            let said: Vec<String> = said.iter().map(|it| it.html().0).collect();
            self.done.text += &format!("{space}({})", said.join(", "));
        }
        Ok(())
    }

    fn block(&mut self, block: &FencedBlock) -> Result<(), BlockError> {
        let Some(kind) = BlockKind::ALL.into_iter().find(|kind| kind.word() == block.word) else {
            self.done.text += &self.on.page.text[block.range.clone()];
            return Ok(());
        };
        let Shown { html, id, script } = block::render(kind, block, &self.on)?;
        self.done.text += &html;
        self.done.charts.extend(id.map(|id| (id, block.line)));
        self.done.scripts.extend(script);
        self.claims.extend(self.on.stated_in(block));
        Ok(())
    }

    fn end_section(&mut self) {
        let claims = std::mem::take(&mut self.claims);
        if !claims.is_empty() {
            let is_first = !std::mem::replace(&mut self.has_claims, true);
            let Html(fold) = fold(&claims, is_first, &self.on);
            self.done.text += &format!("\n\n{fold}\n\n");
        }
    }
}
