//! A rug: along the axis of `x`, values of it that other rows tell, such as the sizes of caches under a
//! curve over sizes.

use measurement::Row;

use super::canvas::{Canvas, suffix};
use super::chart_block::ChartBlock;
use super::mark::Mark;
use super::rows::Shown;
use crate::chart::colour::Rgb;
use crate::chart::scene::{
    Axis, Colour, FigureAxis, Layer, Marker, MarkerSymbol, Role, Series, Shape,
};
use crate::chart::style::Symbol;
use crate::figure::number_format::{self, Dimension};

/// The marks of a rug on one machine, side by side near the bottom of the picture.
pub(super) struct RugMarks<'a> {
    pub(super) name: String,
    /// On the axis of the quantity.
    pub(super) height: f64,
    shown: &'a Shown<'a>,
    /// On the axis of `x`.
    pub(super) values: Vec<f64>,
    symbol: Symbol,
}

impl<'a> RugMarks<'a> {
    /// No contender's.
    pub(super) const COLOUR: Colour = Colour::Meaning(Rgb::of(0x7f7f7f));

    /// By what rugs are told apart.
    const SYMBOLS: [Symbol; 3] = [Symbol::TriangleUp, Symbol::TriangleDown, Symbol::Star];

    /// Where the lowest rug is, as a share of the picture's height.
    const LOWEST: f64 = 0.04;

    /// The rugs of these machines, each so much above the one before, as a share of the picture's height.
    pub(super) fn all(
        canvas: &Canvas<'_>,
        selected: &[&'a Shown<'a>],
        axis: &Axis,
        gap: f64,
    ) -> Vec<RugMarks<'a>> {
        let mut all: Vec<RugMarks<'a>> = Vec::new();
        for shown in selected {
            let symbols = RugMarks::SYMBOLS.into_iter().cycle();
            for ((rug, rows), symbol) in canvas.spec.rug.iter().zip(&shown.rug).zip(symbols) {
                let marks = rows.iter().filter_map(|row| Mark::of(row));
                let values: Vec<f64> = marks.map(|mark| mark.interval.estimate).collect();
                if values.is_empty() {
                    continue;
                }
                let name = format!("{}{}", rug.name, suffix(shown));
                let height = axis.value_at(RugMarks::LOWEST + gap * all.len() as f64);
                all.push(RugMarks { name, height, shown, values, symbol });
            }
        }
        all
    }

    /// What stands before its name.
    pub(super) fn letter(&self) -> char {
        self.symbol.letter(self.shown.machine.is_local())
    }

    pub(super) fn layer(&self) -> Layer {
        let symbol = MarkerSymbol::of(self.symbol, self.shown.machine.is_local());
        let colour = RugMarks::COLOUR;
        let marker = Marker { colour, symbol, size: 9.0, is_faint: false, outline: None };
        Layer {
            series: Some(Series { name: self.name.clone(), is_in_legend: true }),
            machine: self.shown.machine.name().to_owned(),
            role: Role::Rug,
            figures: FigureAxis::X,
            points: self.values.iter().map(|value| (*value, self.height)).collect(),
            rows: Vec::new(),
            whiskers: Vec::new(),
            shape: Shape::Markers(marker),
        }
    }
}

/// What stands along the axis, for the note under the chart and for those who do not see it; empty where
/// nothing does.
pub(super) fn in_words(spec: &ChartBlock, shown: &[Shown<'_>]) -> String {
    let mut words = String::new();
    for shown in shown {
        let rugs = spec.rug.iter().zip(&shown.rug);
        for (rug, rows) in rugs.filter(|(_, rows)| !rows.is_empty()) {
            let figures: Vec<String> = rows.iter().map(|row| figure(row)).collect();
            let (name, machine) = (&rug.name, shown.label());
            words += &format!(" Along the axis, {name} on {machine}: {}.", figures.join(", "));
        }
    }
    words
}

fn figure(row: &Row) -> String {
    row.measured().map_or("not measured".to_owned(), |measured| {
        let dimension = Dimension::of_row(row);
        number_format::mostly(measured.interval(), measured.scattered(), dimension)
    })
}
