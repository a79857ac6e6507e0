//! What all views of a chart have in common, so that what changes between two is what they show.

use measurement::{Interval, Row};

use super::axis;
use super::chart_block::{ChartBlock, ChartKind, ScaleKind};
use super::mark::Mark;
use super::rows::{self, Shown};
use crate::chart::scene::{Axis, Origin};
use crate::chart::style::Style;
use crate::figure::number_format::{self, Dimension, UnitScale};

pub(super) struct Canvas<'a> {
    pub(super) spec: &'a ChartBlock,
    /// The chapter whose rows are drawn.
    pub(super) chapter: &'a str,
    /// The rows of every machine, the reference machine's first.
    pub(super) shown: &'a [Shown<'a>],
    /// The series, and how each looks.
    pub(super) names: Vec<String>,
    pub(super) styles: Vec<Style>,
    pub(super) dimension: Dimension,
    /// One for all values, by the largest.
    pub(super) scale: UnitScale,
    /// Everything that has to have a place on the axis of the quantity.
    values: Vec<f64>,
}

impl<'a> Canvas<'a> {
    /// A canvas for rows of which there is at least one.
    pub(super) fn new(
        spec: &'a ChartBlock,
        chapter: &'a str,
        shown: &'a [Shown<'a>],
        names: Vec<String>,
        styles: Vec<Style>,
    ) -> Canvas<'a> {
        let rows: Vec<&Row> = shown.iter().flat_map(|shown| shown.rows.iter().copied()).collect();
        let dimension = Dimension::of_row(rows[0]);
        let estimates = rows.iter().filter_map(|row| Some(row.measured()?.estimate.abs()));
        let scale = number_format::scale(estimates.fold(0.0, f64::max), dimension);
        let formulas = shown.iter().flat_map(|shown| shown.formula.iter().map(|(_, y)| *y));
        let values = rows::drawn(spec, &rows).into_iter().chain(formulas).collect();
        Canvas { spec, chapter, shown, names, styles, dimension, scale, values }
    }

    /// Whose rows a reader can choose to see, what is shown at first in the first place.
    pub(super) fn selections(&self) -> Vec<(String, Vec<&'a Shown<'a>>)> {
        let mut selections: Vec<(String, Vec<_>)> =
            self.drawn_machines().map(|shown| (shown.label(), vec![shown])).collect();
        let own = self.shown.iter().find(|shown| shown.machine.is_local());
        if let Some(own) = own.filter(|_| self.spec.kind.overlays()) {
            let ours = &self.shown[0];
            let name = format!("{} beside {}", own.label(), ours.label());
            selections.insert(0, (name, vec![ours, own]));
        }
        selections
    }

    /// The machines whose rows make a picture.
    fn drawn_machines(&self) -> impl Iterator<Item = &'a Shown<'a>> {
        let kind = self.spec.kind;
        self.shown.iter().filter(move |shown| shown.is_drawn(kind))
    }

    /// The scales that the quantity can be shown on, the author's choice first. What reaches zero, such
    /// as an interval of a difference, has a place on a linear one only.
    pub(super) fn scales(&self) -> Vec<ScaleKind> {
        let values = || self.values.iter().copied();
        let has_logarithm = values().all(|value| value > 0.0);
        let first = if has_logarithm { self.spec.y_scale } else { ScaleKind::Linear };
        // From zero, what is so much smaller than the largest cannot be seen.
        let is_seen = |(least, most): (f64, f64)| most <= 300.0 * least;
        let is_linear_seen =
            values().reduce(f64::min).zip(values().reduce(f64::max)).is_some_and(is_seen);
        // The fields of a heat map carry their values, whatever the colours do.
        let has_other = match first {
            ScaleKind::Linear => has_logarithm,
            ScaleKind::Log => is_linear_seen,
        };
        if has_other && self.spec.kind != ChartKind::HeatMap {
            vec![first, first.other()]
        } else {
            vec![first]
        }
    }

    /// The rows of every machine.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.shown.iter().flat_map(|shown| shown.rows.iter().copied())
    }

    /// The visits of a row that are drawn one by one.
    pub(super) fn visits(&self, row: &Row) -> Vec<f64> {
        let visits = rows::visits(self.spec.kind, row).into_iter();
        visits.map(|visit| self.drawn(visit)).collect()
    }

    /// A value as it is drawn, to seven digits.
    pub(super) fn drawn(&self, value: f64) -> f64 {
        number_format::rounded(value / self.scale.divisor, 7)
    }

    /// Where the estimate of a mark is drawn.
    pub(super) fn estimate(&self, mark: &Mark) -> f64 {
        self.drawn(mark.interval.estimate)
    }

    /// How far an interval reaches below its estimate, and above it.
    pub(super) fn whisker(&self, interval: Interval) -> (f64, f64) {
        let Interval { estimate, low, high } = interval;
        (self.drawn(estimate - low), self.drawn(high - estimate))
    }

    /// The axis of the quantity.
    pub(super) fn axis(&self, scale: ScaleKind) -> Axis {
        axis::of_quantity(&self.spec.quantity, scale, &self.values, self.dimension, self.scale)
    }

    pub(super) fn origin(&self) -> Origin {
        Origin { chapter: self.chapter.to_owned(), divisor: self.scale.divisor }
    }
}

/// What stands behind the name of a series of the reader's own.
pub(super) fn suffix(shown: &Shown<'_>) -> String {
    if shown.machine.is_local() { format!(", {}", shown.label()) } else { String::new() }
}
