//! Lines over a parameter that is a number, each in the band of its intervals, with its name at its
//! end.

use measurement::Row;

use super::axis;
use super::bar_lanes::of_series;
use super::canvas::{Canvas, suffix};
use super::chart_block::ScaleKind;
use super::formula;
use super::mark::Mark;
use super::rows::{Shown, number_of};
use super::rug::RugMarks;
use crate::chart::colour::Rgb;
use crate::chart::scene::{
    At, Axis, Colour, FigureAxis, Label, LabelSide, Layer, Legend, Look, Margin, Marker,
    MarkerSymbol, PlotArea, Role, Scene, Series, Shape, Stroke, StyledPiece, StyledText,
};
use crate::chart::style::{LineStyle, Style, Symbol};
use crate::figure::number_format;

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
        let whiskers = marks().map(|(_, mark)| self.canvas.whisker(mark.interval));
        let are_drawn = self.canvas.spec.has_intervals();
        Layer {
            rows: marks().map(|(_, mark)| mark.told.clone()).collect(),
            whiskers: whiskers.filter(|_| are_drawn).collect(),
            ..self.layer(Role::Rows, points, Shape::Line(stroke, Some(marker)))
        }
    }

    /// The intervals as an area: there and back again.
    fn band(&self) -> Option<Layer> {
        let there = self.marks.iter().map(|(x, mark, _)| (*x, mark.interval.high));
        let back = self.marks.iter().rev().map(|(x, mark, _)| (*x, mark.interval.low));
        let around = there.chain(back).map(|(x, y)| (x, self.canvas.drawn(y))).collect();
        let is_drawn = self.canvas.spec.has_intervals() && self.marks.len() > 1;
        is_drawn.then(|| self.layer(Role::Band, around, Shape::Area(self.colour())))
    }

    /// A cross for each second mode, if there are any.
    fn crosses(&self) -> Option<Layer> {
        let with_two =
            || self.marks.iter().filter_map(|(x, mark, _)| Some((*x, mark, mark.other?)));
        let points: Vec<(f64, f64)> =
            with_two().map(|(x, _, other)| (x, self.canvas.drawn(other.estimate))).collect();
        let (colour, symbol) = (self.colour(), MarkerSymbol::SecondMode);
        let marker = Marker { colour, symbol, size: 9.0, is_faint: false, outline: None };
        (!points.is_empty()).then(|| Layer {
            rows: with_two().map(|(_, mark, _)| mark.told.clone()).collect(),
            whiskers: with_two().map(|(_, _, other)| self.canvas.whisker(other)).collect(),
            ..self.layer(Role::SecondMode, points, Shape::Markers(marker))
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

/// The curve of a formula on one machine.
struct FormulaLine<'a> {
    shown: &'a Shown<'a>,
    points: Vec<(f64, f64)>,
}

impl<'a> FormulaLine<'a> {
    /// No contender's: a formula is nobody's.
    const COLOUR: Colour = Colour::Meaning(Rgb::of(0x7f7f7f));

    fn all(canvas: &Canvas<'_>, selected: &[&'a Shown<'a>]) -> Vec<FormulaLine<'a>> {
        let with_one = selected.iter().filter(|shown| !shown.formula.is_empty());
        let line = |shown: &&'a Shown<'a>| {
            let points = shown.formula.iter().map(|(x, y)| (*x, canvas.drawn(*y))).collect();
            FormulaLine { shown, points }
        };
        with_one.map(line).collect()
    }

    fn name(&self) -> String {
        format!("{}{}", formula::NAME, suffix(self.shown))
    }

    fn layer(&self) -> Layer {
        let is_own = self.shown.machine.is_local();
        let (colour, line) = (FormulaLine::COLOUR, LineStyle::Dashed);
        let stroke = Stroke { colour, line, is_own, is_stepped: false };
        Layer {
            series: Some(Series { name: self.name(), is_in_legend: true }),
            machine: self.shown.machine.name().to_owned(),
            role: Role::Formula,
            figures: FigureAxis::Y,
            points: self.points.clone(),
            rows: Vec::new(),
            whiskers: Vec::new(),
            shape: Shape::Line(stroke, None),
        }
    }
}

/// A line's name, and the value at which the line ends.
struct LineEnd {
    value: f64,
    /// What marks the line's points.
    symbol: char,
    colour: Colour,
    name: String,
}

impl LineEnd {
    fn of_series(series: &SeriesLine<'_>) -> LineEnd {
        let last = series.marks.last();
        LineEnd {
            value: last.map_or(0.0, |(_, mark, _)| series.canvas.estimate(mark)),
            symbol: series.style.symbol.letter(series.is_local),
            colour: series.colour(),
            name: series.name.clone(),
        }
    }

    fn of_formula(formula: &FormulaLine<'_>) -> LineEnd {
        LineEnd {
            value: formula.points.last().map_or(0.0, |(_, y)| *y),
            symbol: '╌',
            colour: FormulaLine::COLOUR,
            name: formula.name(),
        }
    }

    fn of_rug(rug: &RugMarks<'_>) -> LineEnd {
        LineEnd {
            value: rug.height,
            symbol: rug.letter(),
            colour: RugMarks::COLOUR,
            name: rug.name.clone(),
        }
    }
}

/// The names of lines at the right end of a chart, each beside the end of its line, or as near to it
/// as the others leave room.
fn labels(mut ends: Vec<LineEnd>, axis: &Axis) -> Vec<Label> {
    ends.sort_by(|a, b| a.value.total_cmp(&b.value));
    let wanted: Vec<f64> = ends.iter().map(|end| axis.place(end.value)).collect();
    let places = apart(&wanted, LABEL_PIXELS / PLOT_PIXELS);
    let label = |(place, end): (f64, LineEnd)| {
        let pieces = vec![
            StyledPiece { text: end.symbol.to_string(), look: Look::In(end.colour) },
            StyledPiece { text: format!(" {}", end.name), look: Look::Plain },
        ];
        Label {
            text: StyledText(vec![pieces]),
            at: At::Picture(1.0, number_format::rounded(place, 3)),
            side: LabelSide::Right,
            gap: 4.0,
            is_above: false,
        }
    };
    places.into_iter().zip(ends).map(label).collect()
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
    let formulas = FormulaLine::all(canvas, selected);
    let bands = series.iter().filter_map(SeriesLine::band);
    let visits = series.iter().flat_map(SeriesLine::visits);
    let computed = formulas.iter().map(FormulaLine::layer);
    let lines = series.iter().map(SeriesLine::line);
    let crosses = series.iter().filter_map(SeriesLine::crosses);
    let y = canvas.axis(scale);
    let rugs = RugMarks::all(canvas, selected, &y, LABEL_PIXELS / PLOT_PIXELS);
    let layers = bands.chain(visits).chain(computed).chain(lines).chain(crosses);
    let layers = layers.chain(rugs.iter().map(RugMarks::layer)).collect();
    let x_values = canvas.rows().filter_map(|row| number_of(row, spec.x()));
    let on_rugs = rugs.iter().flat_map(|rug| rug.values.iter().copied());
    let x_values: Vec<f64> = x_values.chain(on_rugs).collect();
    let ends = series.iter().map(LineEnd::of_series);
    let ends = ends.chain(formulas.iter().map(LineEnd::of_formula));
    let ends: Vec<LineEnd> = ends.chain(rugs.iter().map(LineEnd::of_rug)).collect();
    let longest = ends.iter().map(|end| end.name.chars().count()).max().unwrap_or(0);
    Scene {
        x: axis::of_parameter(spec.x(), spec.x_scale.unwrap_or_default(), &x_values),
        labels: labels(ends, &y),
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
