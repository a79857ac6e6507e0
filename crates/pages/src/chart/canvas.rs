//! The properties that all views of a chart share, so that two views differ only in their content.

use language::block::{ChartBlock, ChartKind, ScaleKind};
use language::style::Style;
use measurement::number_format::{self, Dimension, UnitScale, rounded};
use measurement::{EvidenceRow, Interval};

use super::{Axis, Layer, MachineRows, Mark, Point, RowTooltip, Scene};

/// The maximum number of visits of a row that are drawn next to its summary: more would add
/// nothing, and the page's data contain each visit twice.
pub const MOST_VISITS: usize = 40;

pub(super) struct Canvas<'a> {
    pub spec: &'a ChartBlock,
    /// The chapter whose rows are drawn.
    pub chapter: &'a str,
    /// The rows that are drawn, machine by machine, the reference machine's first.
    pub shown: Vec<&'a MachineRows<'a>>,
    /// The names of the series, in the order of their `styles`.
    pub names: &'a [String],
    pub styles: &'a [Style],
    pub dimension: Dimension,
    /// The unit of all values, chosen for the largest.
    scale: UnitScale,
    pub drawn: Drawn,
    /// All values that the axis of the quantity has to include.
    values: Vec<f64>,
}

impl<'a> Canvas<'a> {
    /// Creates a canvas for the rows of these machines, at least one of which was measured. Its
    /// axes include these rows only, so that another machine's don't crowd them.
    pub(super) fn new(
        spec: &'a ChartBlock,
        chapter: &'a str,
        shown: Vec<&'a MachineRows<'a>>,
        names: &'a [String],
        styles: &'a [Style],
    ) -> Canvas<'a> {
        let rows = || shown.iter().flat_map(|shown| shown.rows.iter().copied());
        let dimension = Dimension::of_row(shown[0].rows[0]);
        let estimates = rows().filter_map(|row| Some(row.measured()?.estimate.next.estimate.abs()));
        let scale = number_format::scale(estimates.fold(0.0, f64::max), dimension);
        let mut values: Vec<f64> = Vec::new();
        for mark in rows().filter_map(Mark::of) {
            values.extend([mark.interval.low, mark.interval.high]);
            values.extend(visits(spec.kind, mark.row));
        }
        let drawn = Drawn { is_lying: spec.kind.is_lying(), divisor: scale.divisor };
        Canvas { spec, chapter, shown, names, styles, dimension, scale, drawn, values }
    }

    /// Returns the possible scales for the quantity, the author's choice first.
    pub(super) fn scales(&self) -> Vec<ScaleKind> {
        Axis::scales(&self.values, self.spec.y_scale)
    }

    /// Returns the rows of all machines on the canvas.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a EvidenceRow> {
        self.shown.iter().flat_map(|shown| shown.rows.iter().copied())
    }

    /// Returns a scene without labels and legend.
    pub(super) fn scene(&self, x: Axis, y: Axis, layers: Vec<Layer>, height: f64) -> Scene {
        let (chapter, divisor) = (self.chapter.to_owned(), self.drawn.divisor);
        let series = self.spec.series();
        let are_numbers = self.names.iter().all(|name| name.parse::<f64>().is_ok());
        let is_told = are_numbers && series != self.spec.x;
        let legend_title = if is_told { self.spec.words.of(series) } else { String::new() };
        Scene { chapter, divisor, legend_title, ..Scene::of(x, y, layers, height) }
    }

    /// Returns the axis of the quantity on `scale`.
    pub(super) fn axis(&self, scale: ScaleKind) -> Axis {
        let title = self.spec.words.of(self.spec.quantity());
        Axis::of_quantity(title, scale, &self.values, self.dimension, self.scale)
    }
}

/// How values become points: figures are on the axis `x` if `is_lying`, and divided by `divisor`.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub is_lying: bool,
    pub divisor: f64,
}

impl Drawn {
    /// Returns `value` divided by the divisor, to seven digits.
    pub(super) fn value(self, value: f64) -> f64 {
        rounded(value / self.divisor, 7)
    }

    /// Returns `value` as a point whose position on the other axis is `across`.
    pub(super) fn point(self, across: f64, value: f64) -> Point {
        let value = self.value(value);
        let at = if self.is_lying { (value, across) } else { (across, value) };
        Point { at, whisker: None, row: None }
    }

    /// Returns the interval of a row as a point whose position on the other axis is `across`.
    pub(super) fn interval(self, across: f64, of: Interval, row: &RowTooltip) -> Point {
        let Interval { estimate, low, high } = of;
        let whisker = (self.value(estimate - low), self.value(high - estimate));
        Point { whisker: Some(whisker), row: Some(row.clone()), ..self.point(across, estimate) }
    }
}

/// Returns the visits of a row that are drawn individually: all of them in a distribution, and at
/// most [`MOST_VISITS`] if hardly any visit is near the row's summary.
pub(super) fn visits(kind: ChartKind, row: &EvidenceRow) -> Vec<f64> {
    match row.measured() {
        Some(m) if kind == ChartKind::Distribution => m.points.clone(),
        Some(m) if m.estimate.scattered.is_some() => {
            let (all, drawn) = (m.points.len(), m.points.len().min(MOST_VISITS));
            (0..drawn).map(|place| m.points[place * all / drawn]).collect()
        }
        _ => Vec::new(),
    }
}
