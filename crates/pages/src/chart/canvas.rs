use language::block::{ChartBlock, ChartKind, ScaleKind};
use language::style::Style;
use measurement::number_format::{self, Dimension, UnitScale, rounded};
use measurement::{EvidenceRow, Interval};

use super::{Axis, Layer, MachineRows, Mark, Point, RowTooltip, Scene};

/// The maximum number of single measurements ("visits") that are drawn next to a row's summary.
/// More would only make the page larger, because its data contain each point twice.
pub const MOST_VISITS: usize = 40;

pub(super) struct Canvas<'a> {
    pub spec: &'a ChartBlock,
    pub chapter: &'a str,
    /// The rows that are drawn, machine by machine, the reference machine's first.
    pub shown: Vec<&'a MachineRows<'a>>,
    /// The names of the series, in the order of their `styles`.
    pub names: &'a [String],
    pub styles: &'a [Style],
    pub dimension: Dimension,
    /// The unit of all values, chosen to suit the largest.
    scale: UnitScale,
    pub drawn: Drawn,
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

    /// Returns the scales that a reader can choose for the measured quantity, the author's choice
    /// first.
    pub(super) fn scales(&self) -> Vec<ScaleKind> {
        Axis::scales(&self.values, self.spec.y_scale)
    }

    /// Returns the rows of all machines on the canvas.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a EvidenceRow> {
        self.shown.iter().flat_map(|shown| shown.rows.iter().copied())
    }

    /// Returns a scene without labels and without a legend. The caller adds them.
    pub(super) fn scene(&self, x: Axis, y: Axis, layers: Vec<Layer>, height: f64) -> Scene {
        let (chapter, divisor) = (self.chapter.to_owned(), self.drawn.divisor);
        let series = self.spec.series();
        let are_numbers = self.names.iter().all(|name| name.parse::<f64>().is_ok());
        let is_told = are_numbers && series != self.spec.x;
        let legend_title = if is_told { self.spec.words.of(series) } else { String::new() };
        Scene { chapter, divisor, legend_title, ..Scene::of(x, y, layers, height) }
    }

    pub(super) fn axis(&self, scale: ScaleKind) -> Axis {
        let title = self.spec.words.of(self.spec.quantity());
        Axis::of_quantity(title, scale, &self.values, self.dimension, self.scale)
    }
}

/// Maps values to points. Values are on the axis `x` if `is_lying` is true, otherwise on `y`, and
/// are divided by `divisor`.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub is_lying: bool,
    pub divisor: f64,
}

impl Drawn {
    pub(super) fn value(self, value: f64) -> f64 {
        rounded(value / self.divisor, 7)
    }

    /// Returns `value` as a point. `across` is the point's position on the other axis.
    pub(super) fn point(self, across: f64, value: f64) -> Point {
        let value = self.value(value);
        let at = if self.is_lying { (value, across) } else { (across, value) };
        Point { at, whisker: None, row: None }
    }

    /// Returns a row's estimate as a point with its interval. `across` is the point's position on
    /// the other axis.
    pub(super) fn interval(self, across: f64, of: Interval, row: &RowTooltip) -> Point {
        let Interval { estimate, low, high } = of;
        let whisker = (self.value(estimate - low), self.value(high - estimate));
        Point { whisker: Some(whisker), row: Some(row.clone()), ..self.point(across, estimate) }
    }
}

/// Returns the single measurements of a row ("visits") to draw. A distribution shows all of them.
/// Any other chart shows at most [`MOST_VISITS`], and only if hardly any measurement is near the
/// row's summary.
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
