//! A picture as plain data: marks, axes, texts, and colours by what they are for. Charts make it, and
//! [`crate::chart::plot`] has it drawn, by plotly.js and as SVG.
//!
//! Values are those that stand on an axis, in the unit that it names; lines and groups are counted from 0.

use crate::chart::colour::Rgb;
use crate::chart::style::{LineStyle, Symbol};

/// A picture.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) content: PlotArea,
    pub(crate) labels: Vec<Label>,
    pub(crate) legend: Legend,
    pub(crate) margin: Margin,
    pub(crate) origin: Origin,
}

/// Where the figures are from.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The chapter whose rows are drawn.
    pub(crate) chapter: String,
    /// What the rows' figures were divided by.
    pub(crate) divisor: f64,
}

/// An axis, with a label at each of its ticks.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// Empty where the labels say it.
    pub(crate) title: String,
    pub(crate) is_log: bool,
    /// The values at its beginning, on the left or at the bottom, and at its end.
    pub(crate) ends: (f64, f64),
    pub(crate) ticks: Vec<(f64, StyledText)>,
    pub(crate) has_grid: bool,
    /// Whether a line marks zero, which is inside then.
    pub(crate) has_zero_line: bool,
}

impl Axis {
    /// An axis for groups side by side, each with its name.
    pub(crate) fn of_groups(title: &str, names: Vec<StyledText>) -> Axis {
        let end = names.len() as f64 - 0.5;
        Axis {
            title: title.to_owned(),
            is_log: false,
            ends: (-0.5, end),
            ticks: names.into_iter().enumerate().map(|(at, name)| (at as f64, name)).collect(),
            has_grid: false,
            has_zero_line: false,
        }
    }

    /// The same from its end to its beginning: the first line of a table is on top.
    pub(crate) fn reversed(self) -> Axis {
        Axis { ends: (self.ends.1, self.ends.0), ..self }
    }

    /// The value, or its logarithm, so that equal lengths are equal differences.
    pub(crate) fn coordinate(&self, value: f64) -> f64 {
        if self.is_log { value.log10() } else { value }
    }

    /// Where on the axis a value is: 0 at its beginning, 1 at its end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let (from, to) = (self.coordinate(self.ends.0), self.coordinate(self.ends.1));
        (self.coordinate(value) - from) / (to - from)
    }

    /// The value at a place, as [`Axis::place`] has it.
    pub(crate) fn value_at(&self, place: f64) -> f64 {
        let (from, to) = (self.coordinate(self.ends.0), self.coordinate(self.ends.1));
        let coordinate = from + place * (to - from);
        if self.is_log { 10f64.powf(coordinate) } else { coordinate }
    }
}

/// What is drawn between the axes.
#[derive(Debug, Clone)]
pub(crate) enum PlotArea {
    /// One over the other, the lowest first.
    Layers(Vec<Layer>),
    Fields(Fields),
}

/// Marks of one look.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    /// The series to which it belongs, where there are several.
    pub(crate) series: Option<Series>,
    /// The machine whose figures it shows.
    pub(crate) machine: String,
    pub(crate) role: Role,
    /// On which axis the figures are.
    pub(crate) figures: FigureAxis,
    pub(crate) points: Vec<(f64, f64)>,
    /// The row of each point, where it says so when it is pointed at; else empty.
    pub(crate) rows: Vec<RowTooltip>,
    /// How far each interval reaches, on the axis of the figures: below the point, and above it.
    pub(crate) whiskers: Vec<(f64, f64)>,
    pub(crate) shape: Shape,
}

/// What goes together when it is clicked at in the legend.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Whether this layer stands for it in the legend.
    pub(crate) is_in_legend: bool,
}

/// What a layer shows of the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// Their estimates.
    Rows,
    /// Their second modes.
    SecondMode,
    /// The visits of the row of this name.
    Visits(String),
    /// Their intervals.
    Band,
    /// What lies between two of them.
    Distances,
    /// What a formula makes of them.
    Formula,
    /// What other rows say of the axis across.
    Rug,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FigureAxis {
    X,
    Y,
}

/// A row that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowTooltip {
    /// Its name.
    pub(crate) id: String,
    /// Its name and its figure.
    pub(crate) words: String,
}

#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// The faint inside of what the points go around.
    Area(Colour),
    /// A line from point to point, with marks or without.
    Line(Stroke, Option<Marker>),
    Markers(Marker),
    /// Lying bars from zero.
    Bars(Bar),
}

#[derive(Debug, Clone)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) line: LineStyle,
    /// Drawn in dashes of another kind: the reader's own.
    pub(crate) is_own: bool,
    /// Goes down first, and then across.
    pub(crate) is_stepped: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Marker {
    pub(crate) colour: Colour,
    pub(crate) symbol: MarkerSymbol,
    /// In pixels.
    pub(crate) size: f64,
    /// Faint ones are many.
    pub(crate) is_faint: bool,
    /// A line around it, with its width in pixels.
    pub(crate) outline: Option<(Colour, f64)>,
}

/// What a mark looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkerSymbol {
    Full(Symbol),
    /// The reader's own.
    Hollow(Symbol),
    /// A cross, for a second mode.
    SecondMode,
}

impl MarkerSymbol {
    /// The symbol of a series, of which the reader's `own` is told from ours.
    pub(crate) fn of(symbol: Symbol, is_own: bool) -> MarkerSymbol {
        if is_own { MarkerSymbol::Hollow(symbol) } else { MarkerSymbol::Full(symbol) }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) colour: Colour,
    /// The reader's own.
    pub(crate) is_hollow: bool,
    /// Of a group's place, which is 1.
    pub(crate) width: f64,
    /// What its hatching stands for, where it has one.
    pub(crate) hatching: Option<Symbol>,
}

/// A field for each line and column.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    /// The machine whose figures they show.
    pub(crate) machine: String,
    /// The lines; a field that was not measured is `None`.
    pub(crate) lines: Vec<Vec<Option<Field>>>,
    /// The lowest level and the highest one.
    pub(crate) levels: (f64, f64),
    /// The colours at the lowest level, half way and at the highest, on which black can be read.
    pub(crate) colours: [Rgb; 3],
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// What its colour stands for.
    pub(crate) level: f64,
    pub(crate) text: StyledText,
    pub(crate) row: RowTooltip,
}

/// What stands in a field that was not measured: on a phone there is no room for words.
pub(crate) const NOT_MEASURED: &str = "–";

/// A text in the picture.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub(crate) text: StyledText,
    pub(crate) at: At,
    /// On which side of that place it stands.
    pub(crate) side: LabelSide,
    /// How many pixels from it.
    pub(crate) gap: f64,
    /// Whether it stands over that height, and not at it.
    pub(crate) is_above: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    /// In shares of the picture, from the left and from below.
    Picture(f64, f64),
    /// At these values.
    Axes(f64, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelSide {
    Left,
    Right,
}

/// Whether there is a legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Legend {
    Never,
    Always,
    /// In place of the labels, on a phone.
    WhereNarrow,
}

/// In pixels, beside what labels of axes take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Margin {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// A text, by lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StyledText(pub(crate) Vec<Vec<StyledPiece>>);

/// A piece of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StyledPiece {
    pub(crate) text: String,
    pub(crate) look: Look,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Look {
    Plain,
    Bold,
    Italic,
    In(Colour),
}

impl StyledText {
    /// A text of one look, with a newline between its lines.
    pub(crate) fn of(text: &str, look: &Look) -> StyledText {
        let line = |line: &str| vec![StyledPiece { text: line.to_owned(), look: look.clone() }];
        StyledText(text.split('\n').map(line).collect())
    }

    pub(crate) fn plain(text: &str) -> StyledText {
        StyledText::of(text, &Look::Plain)
    }

    /// The lines without their looks.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |line: &Vec<StyledPiece>| line.iter().map(|piece| piece.text.as_str()).collect();
        self.0.iter().map(line).collect()
    }
}

/// A colour by its part in the page's theme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Colour {
    /// Stands for something, and is moved until it stands out from the theme's background.
    Meaning(Rgb),
    /// The same in every theme: sets a mark apart from what it lies on.
    White,
}
