//! Styles of the series of a chart: which looks how.

use std::iter;

use findings::Analysis;
use language::block::{CONTENDER, ChartBlock};
use language::colour::Rgb;
use language::style::{LineStyle, Style, Symbol};

/// Colours that people of any colour vision tell apart (Okabe and Ito, 2008), for what book.toml
/// gives none. measured.js darkens or lightens them where a theme's background is too near.
const COLOURS: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7f7f7f];

/// Colours of what is no contender, such as the arms of an experiment: other ones, so that nothing
/// looks like a contender that it is not (Tol, 2021).
const OTHER_COLOURS: [u32; 7] =
    [0x332288, 0xcc6677, 0x117733, 0xaa4499, 0x999933, 0x44aa99, 0x882255];

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
const LINES: [LineStyle; 3] = [LineStyle::Solid, LineStyle::Dotted, LineStyle::Dashed];

fn look(colours: &[u32], place: usize) -> Style {
    Style {
        colour: Rgb::of(colours[place % colours.len()]),
        symbol: SYMBOLS[place % SYMBOLS.len()],
        line: LINES[place / colours.len() % LINES.len()],
    }
}

/// How a group of prices looks, by its place.
pub(super) fn of_group(place: usize) -> Style {
    look(&OTHER_COLOURS, place)
}

/// How each of these series of a chart looks.
///
/// One that book.toml does not style takes the next look that nothing there has: a contender by its
/// place among all contenders of the data, so that it is the same on every page; anything else by that
/// in the chart.
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
