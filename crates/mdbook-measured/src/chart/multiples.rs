//! Small multiples: a panel for each parameter that varies, side by side. In each, all other parameters are held where the
//! chart has them, so that one thing at a time differs; the panels share the figures' axis and the series' looks.

use indexmap::IndexSet;
use measurement::Row;

use super::axis::{Axis, in_words};
use super::canvas::Canvas;
use super::chart_block::ScaleKind;
use super::lines::{band, line};
use super::rows::{MachineRows, distinct, number_of, value_of};
use super::scene::{At, Label, Layer, Legend, Marker, Scene, Shape};
use super::series::Series;
use crate::figure::number_format::{self, rounded};

/// How high the chart is, in lines of text.
const HEIGHT: f64 = 23.0;

/// How many letters a phone has room for below all panels.
const LETTERS: usize = 28;

/// Up to where marks reach, as a share of the height.
const NAMES: f64 = 0.9;

/// What one parameter changes.
struct Panel<'a> {
    name: &'a str,
    /// Its values at equal distances: numbers in ascending order, and anything else in that of the rows.
    values: Vec<String>,
    is_number: bool,
    /// Where the first value stands on the axis that all panels share.
    from: usize,
}

pub(super) fn draw<'a>(
    canvas: &'a Canvas<'a>,
    selected: &[&'a MachineRows<'a>],
    scale: ScaleKind,
) -> Scene {
    let panels = panels(canvas);
    let (mut below, mut above, mut known) = (Vec::new(), Vec::new(), IndexSet::new());
    for panel in &panels {
        for mut series in Series::all(canvas, selected, |row, _, _| panel.place(canvas, row)) {
            series.marks.sort_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((name, is_in_legend)) = &mut series.name {
                *is_in_legend = known.insert(name.clone());
            }
            if panel.is_number {
                below.extend(band(&series));
            }
            below.extend(series.visits(4.0, |_| 0.0));
            above.push(if panel.is_number { line(&series) } else { points(&series) });
            above.extend(series.crosses(9.0, None));
        }
    }
    let layers = below.into_iter().chain(above).collect();
    let (x, mut y) = (axis(&panels), canvas.axis(scale));
    // The names of the panels stand above all marks.
    y.ends.1 = y.value_at(1.0 / NAMES);
    let name = |panel: &Panel<'_>| Label {
        text: format!("<b>{}</b>", in_words(panel.name)),
        at: At::Picture(
            rounded(x.place(panel.from as f64 - 0.3), 4),
            rounded((1.0 + NAMES) / 2.0, 4),
        ),
        shift: 0.0,
        is_above: false,
    };
    let labels = panels.iter().map(name).collect();
    Scene { labels, legend: Legend::Always, ..canvas.scene(x, y, layers, HEIGHT) }
}

/// Values that no line joins, since they have no order.
fn points(series: &Series<'_>) -> Layer {
    let symbol = Some(series.style.symbol);
    series.rows(Shape::Markers(Marker { symbol, size: 8.0, outline: None }))
}

fn panels<'a>(canvas: &'a Canvas<'a>) -> Vec<Panel<'a>> {
    let mut from = 0;
    let panel = |name: &'a String| {
        let rows = || canvas.rows().filter(|row| canvas.spec.is_in_panel(name, row));
        let mut values = distinct(rows(), name);
        let is_number = rows().all(|row| number_of(row, name).is_some());
        if is_number {
            let number = |value: &String| value.parse::<f64>().unwrap_or_default();
            values.sort_by(|a, b| number(a).total_cmp(&number(b)));
        }
        let panel = Panel { name, values, is_number, from };
        // A place stays free between two panels.
        from += panel.values.len() + 1;
        panel
    };
    canvas.spec.vary.iter().map(panel).collect()
}

impl Panel<'_> {
    /// Where a row stands that is in this panel.
    fn place(&self, canvas: &Canvas<'_>, row: &Row) -> Option<f64> {
        let value = value_of(row, self.name).filter(|_| canvas.spec.is_in_panel(self.name, row))?;
        let place = self.values.iter().position(|known| *known == value)?;
        Some((self.from + place) as f64)
    }
}

/// One axis for all panels, with the values of each. Where a phone has no room for all, numbers have labels at the ends of
/// their panel, and in its middle if there is one between others.
fn axis(panels: &[Panel<'_>]) -> Axis {
    let of = |value: &String| number_format::parameter(value);
    let letters = panels.iter().flat_map(|panel| &panel.values).map(|it| of(it).chars().count());
    let is_crowded = letters.sum::<usize>() > LETTERS;
    let of_panel = |panel: &Panel<'_>| {
        let last = panel.values.len() - 1;
        let has_label = |place: usize| [0, last].contains(&place) || last > 3 && 2 * place == last;
        let shown = |place: &usize| !is_crowded || !panel.is_number || has_label(*place);
        let tick = |place: usize| {
            ((panel.from + place) as f64, of(&panel.values[place]).replace(' ', "<br>"))
        };
        (0..=last).filter(shown).map(tick).collect::<Vec<_>>()
    };
    let ticks = panels.iter().flat_map(of_panel).collect();
    let end = panels.last().map_or(0, |panel| panel.from + panel.values.len());
    Axis { ends: (-0.6, end as f64 - 0.4), ticks, ..Axis::of_groups("", [].into_iter()) }
}
