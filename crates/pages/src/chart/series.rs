//! A series of rows on one machine, and the layers that draw it.

use std::iter;

use findings::data::MachineData;
use language::block::ChartKind;
use language::style::{Style, Symbol};
use measurement::EvidenceRow;

use super::canvas::visits;
use super::{Canvas, Drawn, Layer, Mark, Marker, Point, Role, Shape};

pub(super) struct Series<'a> {
    pub machine: &'a MachineData,
    pub drawn: Drawn,
    /// The name of the series, and whether the legend lists it; `None` for dots that need no
    /// name.
    pub name: Option<(String, bool)>,
    pub style: Style,
    /// The mark of each measured row, and the mark's position on the axis that doesn't show
    /// figures.
    pub marks: Vec<(f64, Mark<'a>)>,
}

impl<'a> Series<'a> {
    /// Returns each series on each machine, with its rows that have a position. `place` returns
    /// the position of a row.
    pub(super) fn all(
        canvas: &Canvas<'a>,
        place: impl Fn(&EvidenceRow) -> Option<f64>,
    ) -> Vec<Series<'a>> {
        let mut all = Vec::new();
        for (name, style) in iter::zip(canvas.names, canvas.styles) {
            for shown in &canvas.shown {
                let rows = shown.of_series(canvas.spec, name).into_iter();
                let mark = |row| Some((place(row)?, Mark::of(row)?));
                let marks: Vec<_> = rows.filter_map(mark).collect();
                if !marks.is_empty() {
                    let (machine, drawn, style) = (shown.machine, canvas.drawn, style.clone());
                    let name = canvas.spec.words.of_value(name);
                    let name = Some((format!("{name}{}", shown.suffix()), true));
                    all.push(Series { machine, drawn, name, style, marks });
                }
            }
        }
        all
    }

    pub(super) fn layer(&self, role: Option<Role>, points: Vec<Point>, shape: Shape) -> Layer {
        let stands_for_it = role.is_none();
        let name = self.name.clone();
        Layer {
            is_own: stands_for_it && name.is_some() && self.machine.is_local(),
            series: name.map(|(name, is_in_legend)| (name, is_in_legend && stands_for_it)),
            machine: self.machine.name().to_owned(),
            is_lying: self.drawn.is_lying,
            colour: self.style.colour,
            role,
            points,
            shape,
        }
    }

    pub(super) fn rows(&self, shape: Shape) -> Layer {
        let point = |(across, mark): &(f64, Mark<'_>)| {
            self.drawn.interval(*across, mark.interval, &mark.tooltip)
        };
        self.layer(None, self.marks.iter().map(point).collect(), shape)
    }

    /// Returns a layer per row that shows the row's single measurements. The measurement at index
    /// `n` is drawn at a distance of `aside(n)` from the row's position.
    pub(super) fn visits(
        &self,
        kind: ChartKind,
        size: f64,
        aside: impl Fn(usize) -> f64,
    ) -> Vec<Layer> {
        let of_row = |(across, mark): &(f64, Mark<'_>)| {
            let visits = visits(kind, mark.row).into_iter().enumerate();
            let points: Vec<Point> =
                visits.map(|(at, visit)| self.drawn.point(across + aside(at), visit)).collect();
            let marker = Marker { symbol: Symbol::Circle, size, outline: None };
            let role = Role::Visits(mark.tooltip.id.clone());
            (!points.is_empty()).then(|| self.layer(Some(role), points, Shape::Markers(marker)))
        };
        self.marks.iter().filter_map(of_row).collect()
    }
}
