//! A page that is being rendered: what its directives and blocks may ask.

use std::collections::HashMap;
use std::path::Path;

use indexmap::IndexSet;
use measurement::Evidence;

use crate::claim::judged::JudgedClaim;
use crate::claim::records::ClaimRecords;
use crate::claim::{Claim, ClaimPlace};
use crate::config::Config;
use crate::data::published::Published;
use crate::data::{ChapterData, Data, LOCAL, missing_run};
use crate::figure::number_format::Detail;
use crate::figure::rich_text::{FigureText, RichText};
use crate::figure::selector::{Missing, nearest};
use crate::figure::{Figure, Subject};
use crate::html::{Html, anchor, each, html};
use crate::page::Page;
use crate::page::scan::FencedBlock;

/// Everything that pages are rendered with.
pub(crate) struct RenderContext<'a> {
    /// Where the pages are.
    pub(crate) src: &'a Path,
    pub(crate) data: &'a Data,
    pub(crate) config: &'a Config,
    pub(crate) published: &'a Published,
    /// Since when each claim has stood as it stands; none for a book that does not record it.
    pub(crate) records: Option<&'a ClaimRecords>,
    /// All claims, in the order of the pages.
    pub(crate) claims: &'a [JudgedClaim],
    /// The page that holds the ledger, relative to src/, as HTML.
    pub(crate) ledger: Option<&'a str>,
    /// The title of each page, by its place as HTML.
    pub(crate) titles: &'a HashMap<String, String>,
}

impl RenderContext<'_> {
    /// A claim by its id.
    pub(crate) fn claim(&self, id: &str) -> Option<&JudgedClaim> {
        self.claims.iter().find(|judged| judged.claim.id == id)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct OnPage<'a> {
    pub(crate) page: &'a Page,
    pub(crate) context: &'a RenderContext<'a>,
    /// The way from the page to the root of the site.
    pub(crate) to_root: &'a str,
}

impl<'a> OnPage<'a> {
    /// What the machine says whose figures the pages tell of an experiment.
    pub(crate) fn reference(
        &self,
        chapter: &str,
        experiment: &str,
    ) -> Result<&'a ChapterData, String> {
        let reference = self.context.data.reference(chapter, experiment);
        let data = self.context.data.chapter(reference, chapter);
        data.ok_or_else(|| missing_run(reference, chapter))
    }

    /// The chapter whose rows something is about.
    pub(crate) fn chapter_of<'b>(&'b self, subject: &'b Subject) -> &'b str {
        subject.chapter().unwrap_or(&self.page.chapter)
    }

    /// In what the runs differ from the tree that the pages tell of these.
    pub(crate) fn stale<'b>(&self, subjects: impl Iterator<Item = &'b Subject>) -> Html {
        let of = |subject: &Subject| {
            let data = self.reference(self.chapter_of(subject), subject.experiment()).ok()?;
            data.stale(subject.experiment()).first()
        };
        let stale: IndexSet<&String> = subjects.filter_map(of).collect();
        each(stale, |stale| html!(" <strong>Stale: {}.</strong>", stale))
    }

    /// The figure that the pages tell of a subject.
    pub(crate) fn find(&self, subject: &Subject) -> Result<Figure, Missing> {
        let reference = self.reference(self.chapter_of(subject), subject.experiment());
        subject.find(&reference.map_err(Missing::Mistake)?.evidence)
    }

    /// What is found on the reference machine, and behind it what is found on the reader's own.
    pub(crate) fn figure(&self, subject: &Subject, form: Detail) -> Result<RichText, String> {
        self.told(subject, &|evidence| Ok(subject.find(evidence)?.told(subject.to_string(), form)))
    }

    /// The same in other words.
    pub(crate) fn told(
        &self,
        subject: &Subject,
        tell: &dyn Fn(&Evidence) -> Result<FigureText, Missing>,
    ) -> Result<RichText, String> {
        let told = |data: &ChapterData| {
            let none = |words: &str, reason| {
                let (of, figure) = (subject.to_string(), words.to_owned());
                Ok(FigureText { of, figure, range: reason, is_open: false }.into())
            };
            match tell(&data.evidence) {
                Err(Missing::Unmeasured(reason)) => none("not measured", reason),
                Err(Missing::Untold(reason)) => none("can't be told", reason),
                Err(Missing::Mistake(message)) => Err(message),
                Ok(told) => Ok(RichText::from(told)),
            }
        };
        let chapter = self.chapter_of(subject);
        let mut line = told(self.reference(chapter, subject.experiment())?)?;
        // A quick or filtered run may lack the row; then there is only ours.
        let own = self.context.data.chapter(LOCAL, chapter).and_then(|own| told(own).ok());
        own.into_iter().for_each(|own| line.yours(own));
        Ok(line)
    }

    /// A claim that stands on this page; one that could not be judged has been reported already.
    pub(crate) fn claim(&self, id: &str) -> Option<&'a JudgedClaim> {
        self.context.claim(id).filter(|judged| judged.claim.place.page == self.page.html)
    }

    /// The claims that a block of this page states.
    pub(crate) fn stated_in(&self, block: &FencedBlock) -> impl Iterator<Item = &'a JudgedClaim> {
        let is_there =
            |place: &ClaimPlace| place.page == self.page.html && place.line == block.line;
        self.context.claims.iter().filter(move |judged| is_there(&judged.claim.place))
    }

    /// A claim that a page asks for; one of the page's chapter needs no chapter in its id.
    pub(crate) fn asked(&self, id: &str) -> Result<&'a JudgedClaim, String> {
        let id =
            if id.contains('.') { id.to_owned() } else { format!("{}.{id}", self.page.chapter) };
        self.context.claim(&id).ok_or_else(|| {
            let ids = self.context.claims.iter().map(|judged| &judged.claim.id);
            format!("no claim is {id:?}{}", nearest(&id, ids))
        })
    }

    /// Where the card of a claim is.
    pub(crate) fn href(&self, claim: &Claim) -> String {
        let is_here = claim.place.page == self.page.html;
        if is_here { claim.anchor() } else { claim.href(self.to_root) }
    }

    /// What a sentence says of a claim, linked to it; nothing where it simply holds.
    pub(crate) fn exception(&self, judged: &JudgedClaim) -> Option<RichText> {
        let words = judged.exception(self.context.data)?;
        let JudgedClaim { claim, .. } = judged;
        let html = html!(
            "<a class=\"measured-exception\" href=\"{}\" title=\"{}\">{}</a>",
            self.href(claim),
            claim.sentence,
            words
        );
        Some(RichText::other(html, &words))
    }

    /// A link to a published claim in the ledger, or just the text in a book without one.
    pub(crate) fn published_link(&self, id: &str, text: &str) -> Html {
        let Some(page) = self.context.ledger else { return html!("{}", text) };
        html!(
            "<a class=\"measured-published\" href=\"{}{}#{}\">{}</a>",
            self.to_root,
            page,
            anchor("published", id),
            text
        )
    }

    /// A figure that links to the claim that it bears out.
    pub(crate) fn claimed(&self, figure: &Html, judged: &JudgedClaim) -> Html {
        let href = self.href(&judged.claim);
        html!("<a class=\"measured-claimed\" href=\"{}\">{}</a>", href, figure)
    }
}
