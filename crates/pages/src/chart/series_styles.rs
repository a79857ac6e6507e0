//! Chooses the colours, symbols and lines of a chart's series.

use std::cell::LazyCell;
use std::iter;

use findings::Analysis;
use language::block::{CONTENDER, ChartBlock};
use language::colour::{Colour, OF_CONTENDERS, OF_OTHERS};
use language::style::{LineStyle, Style, Symbol};

/// The symbols that are combined with the colours, so that no two series differ only in colour.
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

/// The line styles. Each style is combined with all colours before the next style is used.
const LINES: [LineStyle; 3] = [LineStyle::Solid, LineStyle::Dotted, LineStyle::Dashed];

fn look(colours: &[Colour], place: usize) -> Style {
    Style {
        colour: colours[place % colours.len()],
        symbol: SYMBOLS[place % SYMBOLS.len()],
        line: LINES[place / colours.len() % LINES.len()],
    }
}

pub(super) fn of_group(place: usize) -> Style {
    look(&OF_OTHERS, place)
}

/// Chooses a colour, a symbol and a line style for each series in `names`.
///
/// A series without a style in book.toml takes the next unused one. A contender takes it by its
/// index among the contenders of all data, so that it looks the same on every page; any other
/// series takes it by its index in the chart.
///
/// # Errors
///
/// If two series would look alike.
pub(super) fn of_series(
    spec: &ChartBlock,
    names: &[String],
    book: &Analysis,
) -> Result<Vec<Style>, String> {
    let styles = &book.config.styles;
    let is_of_contenders = spec.series() == CONTENDER;
    let colours = if is_of_contenders { OF_CONTENDERS } else { OF_OTHERS };
    // Collecting the contenders of all data is slow, so it is done only when a name without a
    // style occurs.
    let unstyled = LazyCell::new(|| {
        let own = || names.iter().map(String::as_str).collect();
        let known = if is_of_contenders { book.data.contenders() } else { own() };
        Vec::from_iter(known.into_iter().filter(|name| !styles.contains_key(*name)))
    });
    let next = |name: &String| {
        let place = unstyled.iter().position(|known| known == name).unwrap_or_default();
        let looks = (0..colours.len() * SYMBOLS.len()).map(|place| look(&colours, place));
        let free = looks.filter(|look| styles.values().all(|taken| !taken.is_like(look)));
        let free: Vec<Style> = free.collect();
        free[place % free.len()].clone()
    };
    let mut all: Vec<Style> = Vec::new();
    for name in names {
        let style = styles.get(name).cloned().unwrap_or_else(|| next(name));
        if let Some((_, other)) = iter::zip(&all, names).find(|(other, _)| other.is_like(&style)) {
            return Err(format!(
                "{other:?} and {name:?} would look alike: style one of them in book.toml, under \
                 [preprocessor.measured.styles]"
            ));
        }
        all.push(style);
    }
    Ok(all)
}
