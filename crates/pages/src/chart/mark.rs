//! The mark of a row.

use findings::figure::Figure;
use measurement::{EvidenceRow, Interval, Scattered, number_format};

use super::RowTooltip;

/// A row's mark: the figure's interval, its estimate alone if the interval isn't known, or the
/// range of nine visits in ten.
#[derive(Clone)]
pub(super) struct Mark<'a> {
    pub row: &'a EvidenceRow,
    pub interval: Interval,
    /// The figure in words, without its interval.
    pub words: String,
    pub tooltip: RowTooltip,
}

impl<'a> Mark<'a> {
    /// Returns the mark of `row`, or `None` if it was not measured.
    pub(super) fn of(row: &'a EvidenceRow) -> Option<Mark<'a>> {
        Some(Mark::of_figure(&Figure::of_row(row).ok()?, row, row.name()))
    }

    /// Returns the mark `id` of a figure computed from `row`.
    pub(super) fn of_figure(figure: &Figure, row: &'a EvidenceRow, id: String) -> Mark<'a> {
        let found = figure.interval();
        let between = |low, high| Interval { estimate: found.estimate.clamp(low, high), low, high };
        let interval = match figure.found().scattered {
            // So wide an interval would hide everything else, and show almost nothing.
            None if number_format::is_unknown(found) => between(found.estimate, found.estimate),
            None => found,
            Some(Scattered { low, high }) => between(low, high),
        };
        let tooltip = RowTooltip { id, figure: figure.with_range() };
        Mark { row, interval, words: figure.in_words(), tooltip }
    }
}
