//! How a series looks: the same on every page, and never told apart by its colour alone.

use serde::Deserialize;

use crate::chart::colour::Rgb;

/// How a series looks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// `#rrggbb`.
    pub colour: Rgb,
    /// What marks its points.
    #[serde(default)]
    pub symbol: Symbol,
    /// How its line is drawn.
    #[serde(default)]
    pub line: LineStyle,
}

impl Style {
    /// Whether two look alike where there are no lines.
    pub(crate) fn is_like(&self, other: &Style) -> bool {
        (self.colour, self.symbol) == (other.colour, other.symbol)
    }
}

/// How a line is drawn. Two of one colour differ in it, since their marks are small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineStyle {
    /// Without a gap.
    #[default]
    Solid,
    /// In dots.
    Dotted,
    /// In long dashes.
    Dashed,
}

/// What marks a point. Two series of one colour, such as two runtimes of one family, differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symbol {
    /// A disc.
    #[default]
    Circle,
    /// A square.
    Square,
    /// A square on its corner.
    Diamond,
    /// A triangle that points up.
    TriangleUp,
    /// A triangle that points down.
    TriangleDown,
    /// A star.
    Star,
    /// A hexagon.
    Hexagon,
    /// A plus sign.
    Cross,
}

impl Symbol {
    /// As a letter, before the name of a line; hollow for the reader's own machine.
    pub(crate) fn letter(self, is_hollow: bool) -> char {
        let (full, hollow) = match self {
            Symbol::Circle => ('●', '○'),
            Symbol::Square => ('■', '□'),
            Symbol::Diamond => ('◆', '◇'),
            Symbol::TriangleUp => ('▲', '△'),
            Symbol::TriangleDown => ('▼', '▽'),
            Symbol::Star => ('★', '☆'),
            Symbol::Hexagon => ('⬢', '⬡'),
            Symbol::Cross => ('✚', '✛'),
        };
        if is_hollow { hollow } else { full }
    }
}
