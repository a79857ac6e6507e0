//! How a series looks: the same on every page, and never told apart by its colour alone.

use serde::Deserialize;

use super::{CONTENDER, Spec};
use crate::config::Config;
use crate::data::Data;

/// Colours that people of any colour vision tell apart (Okabe and Ito, 2008), for what book.toml
/// gives none. measured.js darkens or lightens them where a theme's background is too near.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];

/// What goes with them, so that no two are told apart by their colours alone.
const SYMBOLS: [Symbol; 8] = [
    Symbol::Circle,
    Symbol::Square,
    Symbol::TriangleUp,
    Symbol::Diamond,
    Symbol::TriangleDown,
    Symbol::Star,
    Symbol::Hexagon,
    Symbol::Cross,
];

/// Each for one round through the colours.
const LINES: [Line; 3] = [Line::Solid, Line::Dotted, Line::Dashed];

/// How a series looks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// `#rrggbb`.
    pub colour: String,
    /// What marks its points.
    #[serde(default)]
    pub symbol: Symbol,
    /// How its line is drawn.
    #[serde(default)]
    pub line: Line,
}

impl Style {
    /// Whether two look alike where there are no lines.
    fn is_like(&self, other: &Style) -> bool {
        (&self.colour, self.symbol) == (&other.colour, other.symbol)
    }
}

/// How a line is drawn. Two of one colour differ in it, since their marks are small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// Without a gap.
    #[default]
    Solid,
    /// In dots.
    Dotted,
    /// In long dashes.
    Dashed,
}

impl Line {
    /// In plotly.js's words; with dashes of another kind for the reader's own machine.
    pub(super) fn name(self, is_local: bool) -> &'static str {
        match (self, is_local) {
            (Line::Solid, false) => "solid",
            (Line::Solid, true) => "dash",
            (Line::Dotted, false) => "dot",
            (Line::Dotted, true) => "dashdot",
            (Line::Dashed, false) => "longdash",
            (Line::Dashed, true) => "longdashdot",
        }
    }
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
    pub(super) fn letter(self, is_hollow: bool) -> char {
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

    /// In plotly.js's words; hollow for the reader's own machine.
    pub(super) fn name(self, is_hollow: bool) -> String {
        let name = match self {
            Symbol::Circle => "circle",
            Symbol::Square => "square",
            Symbol::Diamond => "diamond",
            Symbol::TriangleUp => "triangle-up",
            Symbol::TriangleDown => "triangle-down",
            Symbol::Star => "star",
            Symbol::Hexagon => "hexagon",
            Symbol::Cross => "cross",
        };
        format!("{name}{}", if is_hollow { "-open" } else { "" })
    }

    /// The hatching of a bar.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Symbol::Circle => "",
            Symbol::Square => "/",
            Symbol::Diamond => "x",
            Symbol::TriangleUp => "-",
            Symbol::TriangleDown => "|",
            Symbol::Star => ".",
            Symbol::Hexagon => "\\",
            Symbol::Cross => "+",
        }
    }
}

/// Colours of what is no contender, such as the arms of an experiment: other ones, so that nothing
/// looks like a contender that it is not (Tol, 2021).
const OTHER_COLOURS: [&str; 7] =
    ["#332288", "#cc6677", "#117733", "#aa4499", "#999933", "#44aa99", "#882255"];

/// How each of these series of a chart looks.
///
/// One that book.toml does not style takes the next look that nothing there has: a contender by its
/// place among all contenders of the data, so that it is the same on every page; anything else by that
/// in the chart.
///
/// # Errors
///
/// In words, if two would look alike.
pub(super) fn styles(
    spec: &Spec,
    names: &[String],
    data: &Data,
    config: &Config,
) -> Result<Vec<Style>, String> {
    let (known, colours) = match spec.series() {
        CONTENDER => (data.contenders(), COLOURS),
        _ => (names.iter().map(String::as_str).collect(), OTHER_COLOURS),
    };
    let unstyled: Vec<&str> =
        known.into_iter().filter(|name| !config.styles.contains_key(*name)).collect();
    let looks = (0..colours.len() * SYMBOLS.len()).map(|place| Style {
        colour: colours[place % colours.len()].to_owned(),
        symbol: SYMBOLS[place % SYMBOLS.len()],
        line: LINES[place / colours.len() % LINES.len()],
    });
    let is_free = |look: &Style| config.styles.values().all(|taken| !taken.is_like(look));
    let free: Vec<Style> = looks.filter(is_free).collect();
    let style = |name: &String| {
        let place = unstyled.iter().position(|known| known == name).unwrap_or_default();
        config.styles.get(name).cloned().unwrap_or_else(|| free[place % free.len()].clone())
    };
    let styles: Vec<Style> = names.iter().map(style).collect();
    for (index, style) in styles.iter().enumerate() {
        if let Some(other) = styles[..index].iter().position(|other| other.is_like(style)) {
            return Err(format!(
                "{:?} and {:?} would look alike: style one of them in book.toml, under \
                 [preprocessor.measured.styles]",
                names[other], names[index]
            ));
        }
    }
    Ok(styles)
}
