//! The styles of series in charts. A series has the same style on every page, and two series
//! never differ by colour alone.

use serde::Deserialize;

use crate::colour::Colour;

/// The style of a series in charts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// The colour, given by its name in the palette.
    pub colour: Colour,
    /// The mark for the points of the series.
    #[serde(default)]
    pub symbol: Symbol,
    /// The style of the line between the points.
    #[serde(default)]
    pub line: LineStyle,
}

impl Style {
    /// Returns true if two styles look alike, ignoring the style of their lines.
    pub fn is_like(&self, other: &Style) -> bool {
        (self.colour, self.symbol) == (other.colour, other.symbol)
    }
}

/// The style of a line. It distinguishes lines of the same colour, because marks are small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineStyle {
    /// A continuous line.
    #[default]
    Solid,
    /// In dots.
    Dotted,
    /// In long dashes.
    Dashed,
}

impl LineStyle {
    /// Returns the dash pattern of a line two pixels wide, first for plotly.js, then as CSS to
    /// append. The reader's own figures (`is_own`) have different dashes.
    pub fn dashes(self, is_own: bool) -> (&'static str, &'static str) {
        match (self, is_own) {
            (LineStyle::Solid, false) => ("solid", ""),
            (LineStyle::Solid, true) => ("dash", ";stroke-dasharray:9 9"),
            (LineStyle::Dotted, false) => ("dot", ";stroke-dasharray:3 3"),
            (LineStyle::Dotted, true) => ("dashdot", ";stroke-dasharray:9 3 3 3"),
            (LineStyle::Dashed, false) => ("longdash", ";stroke-dasharray:15 15"),
            (LineStyle::Dashed, true) => ("longdashdot", ";stroke-dasharray:15 6 3 6"),
        }
    }
}

/// The mark for a point. It distinguishes series of the same colour, such as two runtimes of one
/// family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symbol {
    /// A disc.
    #[default]
    Circle,
    /// A square.
    Square,
    /// A square that stands on its corner.
    Diamond,
    /// A triangle pointing up.
    TriangleUp,
    /// A triangle pointing down.
    TriangleDown,
    /// A star.
    Star,
    /// A hexagon.
    Hexagon,
    /// A plus sign.
    Cross,
}

impl Symbol {
    /// Returns the appearance of the mark: a filled and a hollow letter, its name in plotly.js,
    /// the name of the matching hatching of bars, and an SVG path around the mark's centre, ten
    /// pixels wide.
    pub fn look(self) -> [&'static str; 5] {
        match self {
            Symbol::Circle => ["●", "○", "circle", "", "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0z"],
            Symbol::Square => ["■", "□", "square", "/", "M-4-4H4V4H-4z"],
            Symbol::Diamond => ["◆", "◇", "diamond", "x", "M0-5.5L5.5 0L0 5.5L-5.5 0z"],
            Symbol::TriangleUp => ["▲", "△", "triangle-up", "-", "M0-5.5L5 4H-5z"],
            Symbol::TriangleDown => ["▼", "▽", "triangle-down", "|", "M0 5.5L5-4H-5z"],
            Symbol::Star => [
                "★",
                "☆",
                "star",
                ".",
                "M0-6L1.4-2L6-2L2.4 1L3.6 5L0 2.6L-3.6 5L-2.4 1L-6-2L-1.4-2z",
            ],
            Symbol::Hexagon => {
                ["⬢", "⬡", "hexagon", "\\", "M0-5.5L4.8-2.8V2.8L0 5.5L-4.8 2.8V-2.8z"]
            }
            Symbol::Cross => {
                let outline = "M-1.8-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8z";
                ["✚", "✛", "cross", "+", outline]
            }
        }
    }
}
