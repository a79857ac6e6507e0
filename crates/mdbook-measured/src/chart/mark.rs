//! What is drawn of a row.

use measurement::{Interval, Row, Scattered};

use super::RowTooltip;
use crate::figure::{Dimension, Figure, number_format};

/// What is drawn of a row: its interval, or its estimate alone where that is not known; or of visits in two modes
/// those of both, the larger first; or from where to where the visits lie.
#[derive(Clone)]
pub(super) struct Mark<'a> {
    pub row: &'a Row,
    pub interval: Interval,
    /// The second mode, which gets a cross.
    pub other: Option<Interval>,
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
        let (interval, other) = match figure.found().scattered {
            // It would hide everything else, and tells next to nothing.
            None if number_format::is_unknown(found) => {
                (between(found.estimate, found.estimate), None)
            }
            None => (found, None),
            Some(Scattered::Modes([most, rest])) => (most.interval, Some(rest.interval)),
            Some(Scattered::Range { low, high }) => (between(low, high), None),
        };
        let tooltip = RowTooltip { id, figure: figure.with_range() };
        Mark { row, interval, other, tooltip }
    }

    /// All intervals that are drawn of it.
    pub(super) fn intervals(&self) -> impl Iterator<Item = Interval> + use<> {
        [self.interval].into_iter().chain(self.other)
    }

    /// What is told at it: the estimates of these.
    pub(super) fn estimates(&self, dimension: Dimension) -> String {
        let estimate = |interval| number_format::estimate(interval, dimension);
        self.intervals().map(estimate).collect::<Vec<_>>().join(" or ")
    }
}
