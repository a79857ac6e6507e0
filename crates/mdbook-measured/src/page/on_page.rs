//! A page that is being rendered: what its directives and blocks may ask.

use measurement::{Evidence, Row};

use crate::claim::judged::JudgedClaim;
use crate::data::{ChapterData, LOCAL, MachineData, missing_run};
use crate::figure::number_format::Detail;
use crate::figure::rich_text::{FigureText, RichText};
use crate::figure::selector::{Missing, Selector};
use crate::figure::{Figure, Subject};
use crate::page::Page;
use crate::page::context::RenderContext;

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
        let told = |data: &ChapterData| match tell(&data.evidence) {
            Err(Missing::Unmeasured(reason)) => {
                Ok(FigureText::not_measured(subject.to_string(), reason).into())
            }
            Ok(told) => Ok(RichText::from(told)),
            Err(Missing::Mistake(message)) => Err(message),
        };
        let chapter = self.chapter_of(subject);
        let mut line = told(self.reference(chapter, subject.experiment())?)?;
        // A quick or filtered run may lack the row; then there is only ours.
        let own = self.context.data.chapter(LOCAL, chapter).and_then(|own| told(own).ok());
        own.into_iter().for_each(|own| line.yours(own));
        Ok(line)
    }

    /// The rows of the reference and of the reader's own machine.
    pub(crate) fn rows_of<'b>(
        &self,
        selectors: impl Iterator<Item = &'b Selector>,
    ) -> Vec<(&'a MachineData, &'a Row)> {
        let data = self.context.data;
        let mut found = Vec::new();
        for selector in selectors {
            let chapter = selector.chapter.as_deref().unwrap_or(&self.page.chapter);
            let reference = data.reference(chapter, &selector.experiment);
            for machine in [reference, LOCAL].into_iter().filter_map(|name| data.machine(name)) {
                let rows = machine.chapters.get(chapter).map(|data| &data.evidence.rows);
                let rows = rows.into_iter().flatten().filter(|row| selector.matches(row));
                found.extend(rows.map(|row| (machine, row)));
            }
        }
        found
    }

    /// A claim that stands on this page; one that could not be judged has been reported already.
    pub(crate) fn claim(&self, id: &str) -> Option<&'a JudgedClaim> {
        self.context.claim(id).filter(|judged| judged.claim.place.page == self.page.html)
    }
}
