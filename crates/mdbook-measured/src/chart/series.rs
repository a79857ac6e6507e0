//! The rows of one series on one machine, and the layers that show them.

use std::iter;

use measurement::Row;

use super::canvas::{Canvas, visits};
use super::mark::Mark;
use super::rows::MachineRows;
use super::scene::{Layer, Marker, Point, Role, Shape};
use super::style::{Style, Symbol};

pub(super) struct Series<'a> {
    pub(super) canvas: &'a Canvas<'a>,
    pub(super) shown: &'a MachineRows<'a>,
    /// What it is called, and whether a legend says so; a ladder has no series.
    pub(super) name: Option<(String, bool)>,
    pub(super) style: Style,
    /// Each row that was measured, with its place on the axis across.
    pub(super) marks: Vec<(f64, Mark<'a>)>,
}

impl<'a> Series<'a> {
    /// Every series of every machine, as far as its rows have a place: `place` finds it by the numbers of the series
    /// and of the machine.
    pub(super) fn all(
        canvas: &'a Canvas<'a>,
        selected: &[&'a MachineRows<'a>],
        place: impl Fn(&Row, usize, usize) -> Option<f64>,
    ) -> Vec<Series<'a>> {
        let mut all = Vec::new();
        for (series, (name, style)) in iter::zip(&canvas.names, &canvas.styles).enumerate() {
            for (machine, &shown) in selected.iter().enumerate() {
                let rows = shown.of_series(canvas.spec, name).into_iter();
                let mark = |row| Some((place(row, series, machine)?, Mark::of(row)?));
                let marks: Vec<_> = rows.filter_map(mark).collect();
                if !marks.is_empty() {
                    let name = Some((format!("{name}{}", shown.suffix()), true));
                    all.push(Series { canvas, shown, name, style: style.clone(), marks });
                }
            }
        }
        all
    }

    pub(super) fn layer(&self, role: Option<Role>, points: Vec<Point>, shape: Shape) -> Layer {
        let stands_for_it = role.is_none();
        let name = self.name.clone();
        Layer {
            is_own: stands_for_it && name.is_some() && self.shown.machine.is_local(),
            series: name.map(|(name, is_in_legend)| (name, is_in_legend && stands_for_it)),
            is_lying: self.canvas.spec.kind.is_lying(),
            ..Layer::of(self.shown.machine, role, self.style.colour, points, shape)
        }
    }

    /// Each row with its interval.
    pub(super) fn rows(&self, shape: Shape) -> Layer {
        let point = |(across, mark): &(f64, Mark<'_>)| {
            self.canvas.interval(*across, mark.interval, &mark.tooltip)
        };
        self.layer(None, self.marks.iter().map(point).collect(), shape)
    }

    /// A cross for each second mode, if there are any.
    pub(super) fn crosses(&self, size: f64, outline: Option<f64>) -> Option<Layer> {
        let point = |(across, mark): &(f64, Mark<'_>)| {
            Some(self.canvas.interval(*across, mark.other?, &mark.tooltip))
        };
        let points: Vec<Point> = self.marks.iter().filter_map(point).collect();
        let shape = Shape::Markers(Marker { symbol: None, size, outline });
        (!points.is_empty()).then(|| self.layer(Some(Role::SecondMode), points, shape))
    }

    /// The visits of each row that shows them, so far `aside` of its place.
    pub(super) fn visits(&self, size: f64, aside: impl Fn(usize) -> f64) -> Vec<Layer> {
        let of_row = |(across, mark): &(f64, Mark<'_>)| {
            let visits = visits(self.canvas.spec.kind, mark.row).into_iter().enumerate();
            let points: Vec<Point> =
                visits.map(|(at, visit)| self.canvas.point(across + aside(at), visit)).collect();
            let marker = Marker { symbol: Some(Symbol::Circle), size, outline: None };
            let role = Role::Visits(mark.tooltip.id.clone());
            (!points.is_empty()).then(|| self.layer(Some(role), points, Shape::Markers(marker)))
        };
        self.marks.iter().filter_map(of_row).collect()
    }
}
