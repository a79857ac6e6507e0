//! Lines over a parameter that is a number, each in the band of its intervals, with its name at its
//! end.

use measurement::Row;

use super::axis;
use super::bar_lanes::of_series;
use super::canvas::{Canvas, suffix};
use super::chart_block::ScaleKind;
use super::mark::Mark;
use super::rows::{Shown, number_of};
use crate::number_format;
use crate::scene::{
    At, Axis, Colour, FigureAxis, Label, LabelSide, Layer, Legend, Look, Margin, Marker,
    MarkerSymbol, PlotArea, Role, Scene, Series, Shape, Stroke, StyledPiece, StyledText,
};
use crate::style::{Style, Symbol};

/// How high the chart is, in lines of text.
pub(super) const HEIGHT: f64 = 25.0;

/// How high that is between the axes, in pixels, nearly: what two labels must be apart is found by it.
const PLOT_PIXELS: f64 = 330.0;

/// How far apart two labels stand, in pixels.
const LABEL_PIXELS: f64 = 19.0;

/// The rows of one series on one machine.
struct SeriesLine<'a> {
    canvas: &'a Canvas<'a>,
    name: String,
    style: &'a Style,
    machine: &'a str,
    is_local: bool,
    /// In the order of x.
    marks: Vec<(f64, Mark, &'a Row)>,
}

impl<'a> SeriesLine<'a> {
    fn all(canvas: &'a Canvas<'a>, selected: &[&'a Shown<'a>]) -> Vec<SeriesLine<'a>> {
        let mut all = Vec::new();
        for shown in selected {
            for (name, style) in canvas.names.iter().zip(&canvas.styles) {
                let rows = of_series(shown, canvas.spec.series(), name).into_iter();
                let mark =
                    |row: &'a Row| Some((number_of(row, canvas.spec.x())?, Mark::of(row)?, row));
                let mut marks: Vec<_> = rows.filter_map(mark).collect();
                marks.sort_by(|a, b| a.0.total_cmp(&b.0));
                if marks.is_empty() {
                    continue;
                }
                all.push(SeriesLine {
                    canvas,
                    name: format!("{name}{}", suffix(shown)),
                    style,
                    machine: shown.machine.name(),
                    is_local: shown.machine.is_local(),
                    marks,
                });
            }
        }
        all
    }

    /// A layer of this series.
    fn layer(&self, role: Role, points: Vec<(f64, f64)>, shape: Shape) -> Layer {
        Layer {
            series: Some(Series { name: self.name.clone(), is_in_legend: role == Role::Rows }),
            machine: self.machine.to_owned(),
            role,
            figures: FigureAxis::Y,
            points,
            rows: Vec::new(),
            whiskers: Vec::new(),
            shape,
        }
    }

    fn colour(&self) -> Colour {
        Colour::Meaning(self.style.colour)
    }

    /// The line with its points.
    fn line(&self) -> Layer {
        let Style { symbol, line, .. } = *self.style;
        let (colour, is_own) = (self.colour(), self.is_local);
        let stroke = Stroke { colour, line, is_own, is_stepped: false };
        let symbol = MarkerSymbol::of(symbol, is_own);
        let marker = Marker { colour, symbol, size: 8.0, is_faint: false, outline: None };
        let marks = || self.marks.iter().map(|(x, mark, _)| (*x, mark));
        let points = marks().map(|(x, mark)| (x, self.canvas.estimate(mark))).collect();
        Layer {
            rows: marks().map(|(_, mark)| mark.told.clone()).collect(),
            whiskers: marks().map(|(_, mark)| self.canvas.whisker(mark.interval)).collect(),
            ..self.layer(Role::Rows, points, Shape::Line(stroke, Some(marker)))
        }
    }

    /// The intervals as an area: there and back again.
    fn band(&self) -> Option<Layer> {
        let there = self.marks.iter().map(|(x, mark, _)| (*x, mark.interval.high));
        let back = self.marks.iter().rev().map(|(x, mark, _)| (*x, mark.interval.low));
        let around = there.chain(back).map(|(x, y)| (x, self.canvas.drawn(y))).collect();
        (self.marks.len() > 1).then(|| self.layer(Role::Band, around, Shape::Area(self.colour())))
    }

    /// A cross for each second regime, if there are any.
    fn crosses(&self) -> Option<Layer> {
        let with_two =
            || self.marks.iter().filter_map(|(x, mark, _)| Some((*x, mark, mark.other?)));
        let points: Vec<(f64, f64)> =
            with_two().map(|(x, _, other)| (x, self.canvas.drawn(other.estimate))).collect();
        let (colour, symbol) = (self.colour(), MarkerSymbol::Regime);
        let marker = Marker { colour, symbol, size: 9.0, is_faint: false, outline: None };
        (!points.is_empty()).then(|| Layer {
            rows: with_two().map(|(_, mark, _)| mark.told.clone()).collect(),
            whiskers: with_two().map(|(_, _, other)| self.canvas.whisker(other)).collect(),
            ..self.layer(Role::Regime, points, Shape::Markers(marker))
        })
    }

    /// The visits of each row that shows them.
    fn visits(&self) -> Vec<Layer> {
        let shows = |(x, mark, row): &(f64, Mark, &Row)| {
            let visits = self.canvas.visits(row);
            let points: Vec<(f64, f64)> = visits.into_iter().map(|visit| (*x, visit)).collect();
            let (colour, symbol) = (self.colour(), MarkerSymbol::Full(Symbol::Circle));
            let marker = Marker { colour, symbol, size: 4.0, is_faint: true, outline: None };
            let role = Role::Visits(mark.told.id.clone());
            (!points.is_empty()).then(|| self.layer(role, points, Shape::Markers(marker)))
        };
        self.marks.iter().filter_map(shows).collect()
    }
}

/// The names of series at the right end of a chart, each beside the end of its line, or as near to it
/// as the others leave room.
fn labels(series: &[SeriesLine<'_>], axis: &Axis) -> Vec<Label> {
    let end = |series: &SeriesLine<'_>| {
        let last = series.marks.last();
        last.map_or(0.0, |(_, mark, _)| axis.place(series.canvas.estimate(mark)))
    };
    let mut ends: Vec<(f64, &SeriesLine<'_>)> =
        series.iter().map(|series| (end(series), series)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted: Vec<f64> = ends.iter().map(|(end, _)| *end).collect();
    let places = apart(&wanted, LABEL_PIXELS / PLOT_PIXELS);
    let label = |(place, (_, series)): (f64, &(f64, &SeriesLine<'_>))| {
        let symbol = series.style.symbol.letter(series.is_local).to_string();
        let name = format!(" {}", series.name);
        let pieces = vec![
            StyledPiece { text: symbol, look: Look::In(series.colour()) },
            StyledPiece { text: name, look: Look::Plain },
        ];
        Label {
            text: StyledText(vec![pieces]),
            at: At::Picture(1.0, number_format::rounded(place, 3)),
            side: LabelSide::Right,
            gap: 4.0,
            is_above: false,
        }
    };
    places.into_iter().zip(&ends).map(label).collect()
}

/// Places of 0 to 1 in ascending order, moved no further than it takes for any two to be `gap` apart.
fn apart(wanted: &[f64], gap: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + gap);
    }
    let mut ceiling = 1.0;
    for place in places.iter_mut().rev() {
        *place = place.min(ceiling);
        ceiling = *place - gap;
    }
    places
}

pub(super) fn draw(canvas: &Canvas<'_>, selected: &[&Shown<'_>], scale: ScaleKind) -> Scene {
    let spec = canvas.spec;
    let series = SeriesLine::all(canvas, selected);
    let bands = series.iter().filter_map(SeriesLine::band);
    let visits = series.iter().flat_map(SeriesLine::visits);
    let lines = series.iter().map(SeriesLine::line);
    let crosses = series.iter().filter_map(SeriesLine::crosses);
    let layers = bands.chain(visits).chain(lines).chain(crosses).collect();
    let x_values: Vec<f64> = canvas.rows().filter_map(|row| number_of(row, spec.x())).collect();
    let y = canvas.axis(scale);
    let longest = series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    Scene {
        x: axis::of_parameter(spec.x(), spec.x_scale.unwrap_or_default(), &x_values),
        labels: labels(&series, &y),
        y,
        content: PlotArea::Layers(layers),
        legend: Legend::WhereNarrow,
        margin: Margin { left: 8.0, right: 30.0 + 7.4 * longest as f64, top: 8.0, bottom: 8.0 },
        origin: canvas.origin(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_stay_inside() {
        assert_eq!(apart(&[0.1, 0.5], 0.1), [0.1, 0.5]);
        let close = |found: Vec<f64>, expected: &[f64]| {
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near && found.len() == expected.len(), "{found:?}");
        };
        close(apart(&[0.1, 0.11, 0.12], 0.1), &[0.1, 0.2, 0.3]);
        close(apart(&[0.95, 0.96, 0.97], 0.1), &[0.8, 0.9, 1.0]);
    }
}
