//! The context in which the directives and blocks of a page are rendered: the page, and the
//! analysis of the whole book.

use findings::Analysis;
use findings::claim::JudgedClaim;
use findings::data::{ChapterData, LOCAL, MachineData};
use findings::figure::{Figure, FigureText};
use findings::find::Missing;
use indexmap::IndexSet;
use language::claim::{Claim, ClaimPlace};
use language::page::{FencedBlock, Page};
use language::selector::nearest;
use language::subject::Subject;
use measurement::Evidence;
use measurement::number_format::Dimension;

use crate::html::{Html, anchor, each, html};
use crate::rich_text::RichText;

#[derive(Clone, Copy)]
pub(crate) struct OnPage<'a> {
    pub page: &'a Page,
    pub book: &'a Analysis,
}

impl<'a> OnPage<'a> {
    /// Returns the path from the page to the root of the site: empty for a page at the root.
    pub(crate) fn root(&self) -> String {
        "../".repeat(self.page.html.matches('/').count())
    }

    /// Returns an experiment's data from the machine whose figures the pages show.
    pub(crate) fn reference(
        &self,
        chapter: &str,
        experiment: &str,
    ) -> Result<&'a ChapterData, String> {
        let reference = self.book.data.reference(chapter, experiment);
        let data = self.book.data.chapter(reference, chapter);
        data.ok_or_else(|| self.missing_run(reference, chapter))
    }

    /// Returns the error message for a chapter that the reference machine has not measured.
    pub(crate) fn missing_run(&self, reference: &str, chapter: &str) -> String {
        let pages = self.book.pages.iter().map(|page| page.chapter.as_str());
        let measured = self.book.data.machines.iter().flat_map(|machine| machine.chapters.keys());
        let known: IndexSet<&str> = pages.chain(measured.map(String::as_str)).collect();
        if !known.contains(chapter) {
            return format!(
                "no page and no data are of a chapter {chapter:?}{}",
                nearest(chapter, known)
            );
        }
        format!(
            "data/{reference} has no run of {chapter}: measure with \
             `cargo book measure {chapter} --full --machine {reference}`"
        )
    }

    /// Returns the chapter that a subject's rows belong to: the page's own, unless the subject
    /// names one.
    pub(crate) fn chapter_of<'b>(&'b self, subject: &'b Subject) -> &'b str {
        subject.chapter().unwrap_or(&self.page.chapter)
    }

    /// Returns how the current source tree differs from the code that was measured for
    /// `subjects`.
    pub(crate) fn stale<'b>(&self, subjects: impl Iterator<Item = &'b Subject>) -> Html {
        let of = |subject: &Subject| {
            let data = self.reference(self.chapter_of(subject), subject.experiment()).ok()?;
            data.stale(subject.experiment()).first()
        };
        let stale: IndexSet<&String> = subjects.filter_map(of).collect();
        each(stale, |stale| html!(" <strong>Stale: {}.</strong>", stale))
    }

    pub(crate) fn find(&self, subject: &Subject) -> Result<Figure, Missing> {
        let reference = self.reference(self.chapter_of(subject), subject.experiment());
        Figure::find(subject, &reference.map_err(Missing::Mistake)?.evidence)
    }

    /// Parses a subject in the notation of `{{number}}`. Fails if its figure isn't a time.
    pub(crate) fn time(&self, text: &str) -> Result<Subject, String> {
        let subject = self.page.names.value(text)?;
        self.time_of(&subject)?;
        Ok(subject)
    }

    /// Returns the figure that the pages show for a subject, or `None` if it was not measured.
    /// Fails if the figure isn't a time.
    pub(crate) fn time_of(&self, subject: &Subject) -> Result<Option<Figure>, String> {
        let found = Missing::or_none(self.find(subject))?;
        match found {
            Some(figure) if figure.dimension() != Dimension::TIME => {
                Err(format!("{:?} is no time", subject.to_string()))
            }
            found => Ok(found),
        }
    }

    /// Returns the reference machine's figure, followed by the reader's own if there is one. If
    /// the experiment was not measured on the usual machine, the interval is followed by the
    /// machine's name.
    pub(crate) fn figure(&self, subject: &Subject) -> Result<RichText, String> {
        self.told(subject, &|evidence| {
            Ok(Figure::find(subject, evidence)?.told(subject.to_string()))
        })
    }

    /// Returns the same figures as [`OnPage::figure`], in the words that the function `tell`
    /// chooses.
    pub(crate) fn told(
        &self,
        subject: &Subject,
        tell: &dyn Fn(&Evidence) -> Result<FigureText, Missing>,
    ) -> Result<RichText, String> {
        let told = |data: &ChapterData, machine: Option<&MachineData>| {
            let none = |words: &str, reason| {
                let (of, figure) = (subject.to_string(), words.to_owned());
                Ok(FigureText { of, figure, range: reason, is_open: false }.into())
            };
            match tell(&data.evidence) {
                Err(Missing::Unmeasured(reason)) => none("not measured", reason),
                Err(Missing::Untold(reason)) => none("can't be told", reason),
                Err(Missing::Mistake(message)) => Err(message),
                Ok(told) => Ok(RichText::from(told.measured_on(machine.map(MachineData::short)))),
            }
        };
        let chapter = self.chapter_of(subject);
        let other = self.book.data.other_reference(chapter, subject.experiment());
        let mut line = told(self.reference(chapter, subject.experiment())?, other)?;
        // The reader's own run may lack the row, if it was quick or filtered. Then only our
        // figure is shown.
        let own = self.book.data.chapter(LOCAL, chapter).and_then(|own| told(own, None).ok());
        own.into_iter().for_each(|own| line.yours(own));
        Ok(line)
    }

    pub(crate) fn stated_in(&self, block: &FencedBlock) -> impl Iterator<Item = &'a JudgedClaim> {
        let is_there =
            |place: &ClaimPlace| place.page == self.page.html && place.line == block.line;
        self.book.claims.iter().filter(move |judged| is_there(&judged.claim.place))
    }

    /// Looks up a claim by its id. The id may omit the chapter if the claim belongs to the page's
    /// own chapter.
    pub(crate) fn asked(&self, id: &str) -> Result<&'a JudgedClaim, String> {
        let id =
            if id.contains('.') { id.to_owned() } else { format!("{}.{id}", self.page.chapter) };
        self.book.claims.iter().find(|judged| judged.claim.id == id).ok_or_else(|| {
            let ids = self.book.claims.iter().map(|judged| &judged.claim.id);
            format!("no claim is {id:?}{}", nearest(&id, ids))
        })
    }

    /// Returns the address of a claim's card, relative to this page.
    pub(crate) fn href(&self, claim: &Claim) -> String {
        let (page, anchor) = (&claim.place.page, anchor("claim", &claim.id));
        let page = if *page == self.page.html { "" } else { &format!("{}{page}", self.root()) };
        format!("{page}#{anchor}")
    }

    /// Returns the remark that a sentence has to make about a claim, with a link to the claim:
    /// that it is undecided, or that other machines decide the opposite. Returns `None` if no
    /// remark is needed.
    pub(crate) fn exception(&self, judged: &JudgedClaim) -> Option<RichText> {
        let words = judged.exception(&self.book.data)?;
        let JudgedClaim { claim, .. } = judged;
        let html = html!(
            "<a class=\"measured-exception\" href=\"{}\" title=\"{}\">{}</a>",
            self.href(claim),
            claim.sentence,
            words
        );
        Some(RichText::other(html, &words))
    }

    /// Returns a link to a published claim in the ledger, or only the text if the book has no
    /// ledger.
    pub(crate) fn published_link(&self, id: &str, text: &str) -> Html {
        let Some(ledger) = self.book.pages.iter().find(|page| page.asks_for("ledger")) else {
            return html!("{}", text);
        };
        html!(
            "<a class=\"measured-published\" href=\"{}{}#{}\">{}</a>",
            self.root(),
            ledger.html,
            anchor("published", id),
            text
        )
    }

    pub(crate) fn claimed(&self, figure: &Html, judged: &JudgedClaim) -> Html {
        let href = self.href(&judged.claim);
        html!("<a class=\"measured-claimed\" href=\"{}\">{}</a>", href, figure)
    }
}
