//! The row that one mark in a `dots` block shows, and its comparison with another mark.

use findings::data::{ChapterData, MachineData};
use findings::figure::Figure;
use findings::find::{self, Missing, in_one_unit};
use language::selector::Selector;
use language::subject::Subject;

use crate::chart::Mark;
use crate::on_page::OnPage;

/// The ratio of a mark in a chart to another mark.
pub(in crate::chart) struct Compared {
    pub from: f64,
    pub words: String,
    pub range: String,
}

/// The text that replaces a ratio if measurements can't distinguish the ratio from 1.
pub(super) const ALIKE: &str = "≈";

/// What one mark shows: a multiple of a measured row.
pub(in crate::chart) struct Part {
    count: u64,
    row: Selector,
    pub subject: Subject,
    pub chapter: String,
}

impl Part {
    pub(in crate::chart) fn read(text: &str, on: &OnPage<'_>) -> Result<Part, String> {
        let subject = on.page.names.value(text)?;
        let Some((count, row)) = subject.row() else {
            return Err(format!("{text:?} is neither a row nor a multiple of one"));
        };
        let chapter = on.chapter_of(&subject).to_owned();
        Ok(Part { count, row: row.clone(), chapter, subject })
    }

    /// Returns the data of the machine that the pages show for the part's experiment.
    pub(in crate::chart) fn reference<'a>(
        &self,
        on: &OnPage<'a>,
    ) -> Result<&'a ChapterData, String> {
        on.reference(&self.chapter, self.subject.experiment())
    }

    /// Returns the data of `machine` for the part's chapter, if this data includes the row.
    pub(in crate::chart) fn on_machine<'a>(
        &self,
        machine: &'a MachineData,
    ) -> Option<&'a ChapterData> {
        let data = machine.chapters.get(&self.chapter)?;
        find::is_in(&self.subject, &data.evidence).then_some(data)
    }

    /// Returns the mark with which a chart shows this measurement in a machine's `data`. The name
    /// of the mark includes the multiplier, as in `1000 x tea/boil: pot`.
    pub(in crate::chart) fn mark<'a>(&self, data: &'a ChapterData) -> Result<Mark<'a>, Missing> {
        let row = find::one(&self.row, &data.evidence).map_err(Missing::Mistake)?;
        let figure = Figure::find(&self.subject, &data.evidence)?;
        let count = if self.count == 1 { String::new() } else { format!("{} x ", self.count) };
        Ok(Mark::of_figure(&figure, row, format!("{count}{}/{}", self.chapter, row.name())))
    }

    /// Returns how many times as large this part is as the part `to`, such as `× 4.3`, or
    /// [`ALIKE`].
    pub(super) fn compared(&self, to: &Part, data: &ChapterData) -> Result<Compared, Missing> {
        let rows = [&self.row, &to.row].map(|row| find::one(row, &data.evidence));
        let [row, other] = rows.map(|row| row.map_err(Missing::Mistake));
        let (row, other) = (row?, other?);
        in_one_unit(other, row)?;
        let counts = self.count as f64 / to.count as f64;
        let ratio = Figure::of_ratio(row, other, &data.evidence)?.times(counts);
        let is_told = ratio.is_told_apart() || ratio.is_of_one_run();
        let words = if is_told { ratio.factor() } else { ALIKE.to_owned() };
        let from = to.mark(data)?.interval.estimate;
        Ok(Compared { from, words, range: ratio.factor_range() })
    }
}
