//! What all views of a chart have in common, so that what changes between two is what they show.

use language::block::{ChartBlock, ChartKind, ScaleKind};
use language::style::Style;
use measurement::number_format::{self, Dimension, UnitScale, rounded};
use measurement::{Interval, Row};

use super::{Axis, Layer, MachineRows, Mark, Point, RowTooltip, Scene};

/// How many visits of a row are drawn at most beside its summary: more of them show nothing more, and
/// each takes its room on the page twice.
pub const MOST_VISITS: usize = 40;

pub(super) struct Canvas<'a> {
    pub spec: &'a ChartBlock,
    /// The chapter whose rows are drawn.
    pub chapter: &'a str,
    /// The rows of every machine, the reference machine's first.
    pub shown: &'a [MachineRows<'a>],
    /// The series, and how each looks.
    pub names: Vec<String>,
    pub styles: Vec<Style>,
    pub dimension: Dimension,
    /// One for all values, by the largest.
    scale: UnitScale,
    pub drawn: Drawn,
    /// Everything that has to have a place on the axis of the quantity.
    values: Vec<f64>,
}

impl<'a> Canvas<'a> {
    /// A canvas for rows of which at least one was measured.
    pub(super) fn new(
        spec: &'a ChartBlock,
        chapter: &'a str,
        shown: &'a [MachineRows<'a>],
        names: Vec<String>,
        styles: Vec<Style>,
    ) -> Canvas<'a> {
        let rows = || shown.iter().flat_map(|shown| shown.rows.iter().copied());
        let dimension = Dimension::of_row(shown[0].rows[0]);
        let estimates = rows().filter_map(|row| Some(row.measured()?.estimate.abs()));
        let scale = number_format::scale(estimates.fold(0.0, f64::max), dimension);
        let mut values: Vec<f64> = Vec::new();
        for mark in rows().filter_map(Mark::of) {
            values.extend([mark.interval.low, mark.interval.high]);
            values.extend(visits(spec.kind, mark.row));
        }
        let drawn = Drawn { is_lying: spec.kind.is_lying(), divisor: scale.divisor };
        Canvas { spec, chapter, shown, names, styles, dimension, scale, drawn, values }
    }

    /// Whose rows a reader can choose to see, what is shown at first in the first place.
    pub(super) fn selections(&self) -> Vec<(String, Vec<&'a MachineRows<'a>>)> {
        let kind = self.spec.kind;
        let alone = |shown: &'a MachineRows<'a>| (shown.machine.short().to_owned(), vec![shown]);
        let mut selections: Vec<_> = self.shown.iter().map(alone).collect();
        let own = self.shown.iter().find(|shown| shown.machine.is_local());
        if let Some(own) = own.filter(|_| kind.overlays()) {
            let ours = &self.shown[0];
            let name = format!("yours beside {}", ours.machine.short());
            selections.insert(0, (name, vec![ours, own]));
        }
        selections
    }

    /// The scales that the quantity can be shown on, the author's choice first. What reaches zero, such
    /// as an interval of a difference, has a place on a linear one only.
    pub(super) fn scales(&self) -> Vec<ScaleKind> {
        let (least, most) = number_format::ends(self.values.iter().copied());
        let has_logarithm = least > 0.0;
        let first = if has_logarithm { self.spec.y_scale } else { ScaleKind::Linear };
        let (other, has_other) = match first {
            ScaleKind::Linear => (ScaleKind::Log, has_logarithm),
            // From zero, what is so much smaller than the largest cannot be seen.
            ScaleKind::Log => (ScaleKind::Linear, most <= 300.0 * least),
        };
        [first].into_iter().chain(has_other.then_some(other)).collect()
    }

    /// The rows of every machine.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.shown.iter().flat_map(|shown| shown.rows.iter().copied())
    }

    /// A picture without labels and legend.
    pub(super) fn scene(&self, x: Axis, y: Axis, layers: Vec<Layer>, height: f64) -> Scene {
        let (chapter, divisor) = (self.chapter.to_owned(), self.drawn.divisor);
        Scene { chapter, divisor, ..Scene::of(x, y, layers, height) }
    }

    /// The axis of the quantity.
    pub(super) fn axis(&self, scale: ScaleKind) -> Axis {
        Axis::of_quantity(self.spec.quantity(), scale, &self.values, self.dimension, self.scale)
    }
}

/// How values become points: whether figures are on the axis `x`, and what they are divided by.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub is_lying: bool,
    pub divisor: f64,
}

impl Drawn {
    /// A value as it is drawn, to seven digits.
    pub(super) fn value(self, value: f64) -> f64 {
        rounded(value / self.divisor, 7)
    }

    /// A value, at a place on the axis across.
    pub(super) fn point(self, across: f64, value: f64) -> Point {
        let value = self.value(value);
        let at = if self.is_lying { (value, across) } else { (across, value) };
        Point { at, whisker: None, row: None }
    }

    /// An interval of a row, at a place on the axis across.
    pub(super) fn interval(self, across: f64, of: Interval, row: &RowTooltip) -> Point {
        let Interval { estimate, low, high } = of;
        let whisker = (self.value(estimate - low), self.value(high - estimate));
        Point { whisker: Some(whisker), row: Some(row.clone()), ..self.point(across, estimate) }
    }
}

/// The visits of a row that are drawn one by one: where they hardly come near it, no summary tells
/// it all. A distribution is made of them.
pub(super) fn visits(kind: ChartKind, row: &Row) -> Vec<f64> {
    match row.measured() {
        Some(m) if kind == ChartKind::Distribution => m.points.clone(),
        Some(m) if kind.overlays() && m.scattered().is_some() => {
            let (all, drawn) = (m.points.len(), m.points.len().min(MOST_VISITS));
            (0..drawn).map(|place| m.points[place * all / drawn]).collect()
        }
        _ => Vec::new(),
    }
}
