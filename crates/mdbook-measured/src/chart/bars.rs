//! Bars, points and distributions: a row has a lane of its own, lying, so that names of any length
//! have their place beside it.

use measurement::Row;

use super::axis;
use super::bar_lanes::{BarLanes, of_series};
use super::canvas::{Canvas, suffix};
use super::chart_block::{CONTENDER, ChartKind, ScaleKind};
use super::mark::Mark;
use super::rows::Shown;
use crate::chart::scene::{
    At, Axis, Bar, Colour, FigureAxis, Label, LabelSide, Layer, Legend, Look, Margin, Marker,
    MarkerSymbol, PlotArea, Role, Scene, Series, Shape, StyledText,
};
use crate::chart::style::{Style, Symbol};
use crate::figure::number_format;

/// The rows of one series on one machine, with their places.
struct Lane<'a> {
    canvas: &'a Canvas<'a>,
    name: String,
    is_in_legend: bool,
    style: &'a Style,
    machine: &'a str,
    is_local: bool,
    width: f64,
    bars: Vec<(&'a Row, Mark, f64)>,
}

/// How high the chart is to be, in lines of text: for all views the same.
pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    let most = canvas.selections().iter().map(|(_, shown)| shown.len()).max().unwrap_or(1);
    let lanes = BarLanes::new(canvas, most);
    let lane = if canvas.spec.kind == ChartKind::Distribution { 2.2 } else { 1.4 };
    let lines = lanes.groups.len() as f64 * (lanes.count() as f64 * lane + 0.6);
    lines.max(4.0) + 7.0
}

impl<'a> Lane<'a> {
    fn all(canvas: &'a Canvas<'a>, selected: &[&'a Shown<'a>], lanes: &BarLanes) -> Vec<Lane<'a>> {
        let mut all = Vec::new();
        for (index, (name, style)) in canvas.names.iter().zip(&canvas.styles).enumerate() {
            for (machine, shown) in selected.iter().enumerate() {
                let rows = of_series(shown, canvas.spec.series(), name).into_iter();
                let bar = |row: &'a Row| {
                    let place = lanes.place(row, canvas.spec.x(), index, machine)?;
                    Some((row, Mark::of(row)?, place))
                };
                let bars: Vec<_> = rows.filter_map(bar).collect();
                if bars.is_empty() {
                    continue;
                }
                let (name, is_in_legend) = if lanes.are_series() {
                    (shown.label(), index == 0 && selected.len() > 1)
                } else {
                    (format!("{name}{}", suffix(shown)), true)
                };
                all.push(Lane {
                    canvas,
                    name,
                    is_in_legend,
                    style,
                    machine: shown.machine.name(),
                    is_local: shown.machine.is_local(),
                    width: lanes.width(),
                    bars,
                });
            }
        }
        all
    }

    /// A layer of this series.
    fn layer(&self, role: Role, points: Vec<(f64, f64)>, shape: Shape) -> Layer {
        let is_in_legend = role == Role::Rows && self.is_in_legend;
        Layer {
            series: Some(Series { name: self.name.clone(), is_in_legend }),
            machine: self.machine.to_owned(),
            role,
            figures: FigureAxis::X,
            points,
            rows: Vec::new(),
            whiskers: Vec::new(),
            shape,
        }
    }

    fn colour(&self) -> Colour {
        Colour::Meaning(self.style.colour)
    }

    /// Each row with its interval.
    fn rows(&self, scale: ScaleKind, lanes: &BarLanes) -> Layer {
        let (colour, symbol) = (self.colour(), self.style.symbol);
        let shape = if self.canvas.spec.kind == ChartKind::Bars && scale == ScaleKind::Linear {
            // A bar shows its length from zero, and with its name beside it needs no hatching.
            Shape::Bars(Bar {
                colour,
                is_hollow: self.is_local,
                width: self.width * 0.9,
                hatching: (!lanes.are_series()).then_some(symbol),
            })
        } else {
            Shape::Markers(Marker {
                colour,
                symbol: MarkerSymbol::of(symbol, self.is_local),
                size: 10.0,
                is_faint: false,
                outline: Some((colour, 1.0)),
            })
        };
        let bars = || self.bars.iter().map(|(_, mark, place)| (mark, *place));
        let points = bars().map(|(mark, place)| (self.canvas.estimate(mark), place)).collect();
        Layer {
            rows: bars().map(|(mark, _)| mark.told.clone()).collect(),
            whiskers: bars().map(|(mark, _)| self.canvas.whisker(mark.interval)).collect(),
            ..self.layer(Role::Rows, points, shape)
        }
    }

    /// A cross for each second mode, if there are any.
    fn crosses(&self) -> Option<Layer> {
        let with_two =
            || self.bars.iter().filter_map(|(_, mark, place)| Some((mark, mark.other?, *place)));
        let points: Vec<(f64, f64)> = with_two()
            .map(|(_, other, place)| (self.canvas.drawn(other.estimate), place))
            .collect();
        let marker = Marker {
            colour: self.colour(),
            symbol: MarkerSymbol::SecondMode,
            size: 10.0,
            is_faint: false,
            // It may lie on its own bar.
            outline: Some((Colour::White, 1.5)),
        };
        (!points.is_empty()).then(|| Layer {
            rows: with_two().map(|(mark, _, _)| mark.told.clone()).collect(),
            whiskers: with_two().map(|(_, other, _)| self.canvas.whisker(other)).collect(),
            ..self.layer(Role::SecondMode, points, Shape::Markers(marker))
        })
    }

    /// The visits of each row that shows them, as faint dots about the middle of its lane.
    fn visits(&self) -> Vec<Layer> {
        let shows = |(row, mark, place): &(&Row, Mark, f64)| {
            let visits = self.canvas.visits(row).into_iter().enumerate();
            let points: Vec<(f64, f64)> =
                visits.map(|(at, visit)| (visit, place + self.jitter(at))).collect();
            let (colour, symbol) = (self.colour(), MarkerSymbol::Full(Symbol::Circle));
            let marker = Marker { colour, symbol, size: 5.0, is_faint: true, outline: None };
            let role = Role::Visits(mark.told.id.clone());
            (!points.is_empty()).then(|| self.layer(role, points, Shape::Markers(marker)))
        };
        self.bars.iter().filter_map(shows).collect()
    }

    /// How far from the middle of its lane a visit is drawn, so that equal ones do not hide each
    /// other: multiples of the golden ratio fill the width evenly, and the same on every build.
    fn jitter(&self, visit: usize) -> f64 {
        let even = (visit as f64 * 0.618_034).fract() - 0.5;
        number_format::rounded(even * self.width * 0.8, 3)
    }
}

pub(super) fn draw(canvas: &Canvas<'_>, selected: &[&Shown<'_>], scale: ScaleKind) -> Scene {
    let lanes = BarLanes::new(canvas, selected.len());
    let series = Lane::all(canvas, selected, &lanes);
    let visits = series.iter().flat_map(Lane::visits);
    let rows = series.iter().map(|series| series.rows(scale, &lanes));
    let crosses = series.iter().filter_map(Lane::crosses);
    // Bars lie beneath their visits, points above.
    let is_bars = canvas.spec.kind == ChartKind::Bars && scale == ScaleKind::Linear;
    let layers = if is_bars {
        rows.chain(visits).chain(crosses).collect()
    } else {
        visits.chain(rows).chain(crosses).collect()
    };
    let x = canvas.spec.x();
    // What the groups are, above them. Contenders need no such word.
    let heading = (x != CONTENDER).then(|| Label {
        text: StyledText::of(&axis::in_words(x), &Look::Italic),
        at: At::Picture(0.0, 1.0),
        side: LabelSide::Left,
        gap: 6.0,
        is_above: true,
    });
    let has_legend = !lanes.are_series() || selected.len() > 1;
    Scene {
        x: canvas.axis(scale),
        y: Axis::of_groups("", lanes.labels()).reversed(),
        content: PlotArea::Layers(layers),
        labels: heading.into_iter().collect(),
        legend: if has_legend { Legend::Always } else { Legend::Never },
        // At least as wide as what stands there, and wider where labels need it.
        margin: Margin {
            left: 20.0 + 8.0 * x.chars().count() as f64,
            right: 24.0,
            top: 24.0,
            bottom: 8.0,
        },
        origin: canvas.origin(),
    }
}
