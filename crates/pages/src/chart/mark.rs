use findings::figure::Figure;
use measurement::{EvidenceRow, Interval, Scattered, number_format};

use super::RowTooltip;

/// The mark that shows a row in a chart: its interval or, if the interval isn't known, only its
/// estimate. If measurements vary widely, the mark spans 90 % of them.
#[derive(Clone)]
pub(super) struct Mark<'a> {
    pub row: &'a EvidenceRow,
    pub interval: Interval,
    pub words: String,
    pub tooltip: RowTooltip,
}

impl<'a> Mark<'a> {
    pub(super) fn of(row: &'a EvidenceRow) -> Option<Mark<'a>> {
        Some(Mark::of_figure(&Figure::of_row(row).ok()?, row, row.name()))
    }

    pub(super) fn of_figure(figure: &Figure, row: &'a EvidenceRow, id: String) -> Mark<'a> {
        let found = figure.interval();
        let between = |low, high| Interval { estimate: found.estimate.clamp(low, high), low, high };
        let interval = match figure.found().scattered {
            // An interval as wide as this one would hide everything else, and would say almost
            // nothing.
            None if number_format::is_unknown(found) => between(found.estimate, found.estimate),
            None => found,
            Some(Scattered { low, high }) => between(low, high),
        };
        let tooltip = RowTooltip { id, figure: figure.with_range() };
        Mark { row, interval, words: figure.in_words(), tooltip }
    }
}
