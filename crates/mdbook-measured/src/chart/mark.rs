//! What is drawn of a row.

use measurement::{Interval, Row, Scattered};

use super::scene::RowTooltip;
use crate::figure::Figure;
use crate::figure::number_format::{self, Dimension};

/// What is drawn of a row: its interval, or its estimate alone where that is not known; or of visits in two modes
/// those of both, the larger first; or from where to where the visits lie.
pub(super) struct Mark<'a> {
    pub(super) row: &'a Row,
    pub(super) interval: Interval,
    /// The second mode, which gets a cross.
    pub(super) other: Option<Interval>,
    pub(super) tooltip: RowTooltip,
}

impl Mark<'_> {
    /// All intervals that are drawn of it.
    pub(super) fn intervals(&self) -> impl Iterator<Item = Interval> + use<> {
        [self.interval].into_iter().chain(self.other)
    }

    /// What is told at it: the estimates of these.
    pub(super) fn estimates(&self, dimension: Dimension, between: &str) -> String {
        let estimate = |interval| number_format::estimate(interval, dimension);
        self.intervals().map(estimate).collect::<Vec<_>>().join(between)
    }

    /// `None` of a row that was not measured.
    pub(super) fn of(row: &Row) -> Option<Mark<'_>> {
        let figure = Figure::of_row(row).ok()?;
        let (interval, other) = drawn(&figure);
        let tooltip = RowTooltip { id: row.name(), figure: figure.with_range() };
        Some(Mark { row, interval, other, tooltip })
    }
}

/// What is drawn of a figure, and of a second mode.
pub(super) fn drawn(figure: &Figure) -> (Interval, Option<Interval>) {
    let found = figure.found().next;
    let between = |low, high| Interval { estimate: found.estimate.clamp(low, high), low, high };
    match figure.found().scattered {
        // It would hide everything else, and tells next to nothing.
        None if number_format::is_unknown(found) => (between(found.estimate, found.estimate), None),
        None => (found, None),
        Some(Scattered::Modes([most, rest])) => (most.interval, Some(rest.interval)),
        Some(Scattered::Range { low, high }) => (between(low, high), None),
    }
}
