//! The styles of a chart's series.

use std::iter;

use findings::Analysis;
use language::block::{CONTENDER, ChartBlock};
use language::colour::Rgb;
use language::style::{LineStyle, Style, Symbol};

/// Colours that people with any colour vision can distinguish (Okabe and Ito, 2008), for series
/// without a colour in book.toml. measured.js darkens or lightens them if a theme's background is
/// too similar.
const COLOURS: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7f7f7f];

/// Colours for series other than contenders, such as the arms of an experiment: different ones, so
/// that nothing looks like an unrelated contender (Tol, 2021).
const OTHER_COLOURS: [u32; 7] =
    [0x332288, 0xcc6677, 0x117733, 0xaa4499, 0x999933, 0x44aa99, 0x882255];

/// The symbols that go with them, so that no two differ only in colour.
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

/// One for each round through the colours.
const LINES: [LineStyle; 3] = [LineStyle::Solid, LineStyle::Dotted, LineStyle::Dashed];

fn look(colours: &[u32], place: usize) -> Style {
    Style {
        colour: Rgb::of(colours[place % colours.len()]),
        symbol: SYMBOLS[place % SYMBOLS.len()],
        line: LINES[place / colours.len() % LINES.len()],
    }
}

/// Returns the style of a group of prices, by its index.
pub(super) fn of_group(place: usize) -> Style {
    look(&OTHER_COLOURS, place)
}

/// Returns the style of each of these series of a chart.
///
/// A series without a style in book.toml takes the next unused one: a contender by its index among
/// all contenders of the data, so that it is the same on every page; anything else by its index in
/// the chart.
///
/// # Errors
///
/// In words, if two would look alike.
pub(super) fn of_series(
    spec: &ChartBlock,
    names: &[String],
    book: &Analysis,
) -> Result<Vec<Style>, String> {
    let styles = &book.config.styles;
    let (known, colours) = match spec.series() {
        CONTENDER => (book.data.contenders(), COLOURS),
        _ => (names.iter().map(String::as_str).collect(), OTHER_COLOURS),
    };
    let unstyled: Vec<&str> =
        known.into_iter().filter(|name| !styles.contains_key(*name)).collect();
    let looks = (0..colours.len() * SYMBOLS.len()).map(|place| look(&colours, place));
    let free: Vec<Style> =
        looks.filter(|look| styles.values().all(|taken| !taken.is_like(look))).collect();
    let mut all: Vec<Style> = Vec::new();
    for name in names {
        let place = unstyled.iter().position(|known| known == name).unwrap_or_default();
        let style = styles.get(name).unwrap_or_else(|| &free[place % free.len()]);
        if let Some((_, other)) = iter::zip(&all, names).find(|(other, _)| other.is_like(style)) {
            return Err(format!(
                "{other:?} and {name:?} would look alike: style one of them in book.toml, under \
                 [preprocessor.measured.styles]"
            ));
        }
        all.push(style.clone());
    }
    Ok(all)
}
