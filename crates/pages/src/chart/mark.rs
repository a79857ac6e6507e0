//! What is drawn of a row.

use findings::figure::Figure;
use measurement::{Interval, Row, Scattered, number_format};

use super::RowTooltip;

/// What is drawn of a row: its interval, or its estimate alone where that is not known; or from where to where nine
/// visits in ten lie.
#[derive(Clone)]
pub(super) struct Mark<'a> {
    pub row: &'a Row,
    pub interval: Interval,
    pub tooltip: RowTooltip,
}

impl<'a> Mark<'a> {
    /// `None` of a row that was not measured.
    pub(super) fn of(row: &'a Row) -> Option<Mark<'a>> {
        Some(Mark::of_figure(&Figure::of_row(row).ok()?, row, row.name()))
    }

    /// The mark of a figure that is made of a row, by its name.
    pub(super) fn of_figure(figure: &Figure, row: &'a Row, id: String) -> Mark<'a> {
        let found = figure.interval();
        let between = |low, high| Interval { estimate: found.estimate.clamp(low, high), low, high };
        let interval = match figure.found().scattered {
            // It would hide everything else, and tells next to nothing.
            None if number_format::is_unknown(found) => between(found.estimate, found.estimate),
            None => found,
            Some(Scattered { low, high }) => between(low, high),
        };
        let tooltip = RowTooltip { id, figure: figure.with_range() };
        Mark { row, interval, tooltip }
    }
}
