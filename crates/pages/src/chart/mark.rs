//! The mark of a row.

use findings::figure::Figure;
use measurement::{EvidenceRow, Interval, Scattered, number_format};

use super::RowTooltip;

/// The mark of a row: its interval, or only its estimate if the interval isn't known; or the range
/// of nine visits in ten.
#[derive(Clone)]
pub(super) struct Mark<'a> {
    pub row: &'a EvidenceRow,
    pub interval: Interval,
    /// The figure in words, without its interval.
    pub words: String,
    pub tooltip: RowTooltip,
}

impl<'a> Mark<'a> {
    /// Returns `None` for a row that was not measured.
    pub(super) fn of(row: &'a EvidenceRow) -> Option<Mark<'a>> {
        Some(Mark::of_figure(&Figure::of_row(row).ok()?, row, row.name()))
    }

    /// Returns the mark of a figure made from a row, with its name.
    pub(super) fn of_figure(figure: &Figure, row: &'a EvidenceRow, id: String) -> Mark<'a> {
        let found = figure.interval();
        let between = |low, high| Interval { estimate: found.estimate.clamp(low, high), low, high };
        let interval = match figure.found().scattered {
            // Such a mark would hide everything else, and shows almost nothing.
            None if number_format::is_unknown(found) => between(found.estimate, found.estimate),
            None => found,
            Some(Scattered { low, high }) => between(low, high),
        };
        let tooltip = RowTooltip { id, figure: figure.with_range() };
        Mark { row, interval, words: figure.in_words(), tooltip }
    }
}
