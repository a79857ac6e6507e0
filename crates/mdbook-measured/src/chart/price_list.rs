//! A price list as a picture: what things cost, on one logarithmic axis, group by group. The name of each stands at
//! its mark, on the side that has more room, so that no margin is lost on a phone.

use std::iter;

use indexmap::IndexMap;
use measurement::{Interval, Row};

use super::axis::{self, Axis};
use super::mark::Mark;
use super::plot::{self, View};
use super::scene::{At, Label, Layer, Marker, Point, Role, Scene, Shape};
use super::series_styles;
use super::style::Style;
use crate::assets::Script;
use crate::data::MachineData;
use crate::figure::number_format::{self, Detail, Dimension, FoundFigure};
use crate::html::Html;
use crate::table::Table;

/// Prices by their groups.
pub(crate) type PriceGroups<'a> = IndexMap<&'a str, Vec<Price<'a>>>;

/// What something costs.
pub(crate) struct Price<'a> {
    pub(crate) what: &'a str,
    /// The page that explains it.
    pub(crate) href: &'a str,
    /// The chapter of its rows.
    pub(crate) chapter: &'a str,
    /// The row of each machine that has it, in the order of the machines.
    pub(crate) rows: Vec<Option<&'a Row>>,
}

impl<'a> Price<'a> {
    /// What is drawn of it on a machine.
    fn mark(&self, machine: usize) -> Option<Mark<'a>> {
        let mut mark = Mark::of(self.rows[machine]?)?;
        // As the rows of another chapter are asked for.
        mark.tooltip.id = format!("{}/{}", self.chapter, mark.tooltip.id);
        Some(mark)
    }
}

/// The figure at a mark: of two modes that of the larger, since a cross marks the other.
fn figure(mark: &Mark<'_>) -> String {
    number_format::estimate(mark.interval, Dimension::TIME)
}

/// The picture, a view a machine; the first is shown at first.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses it.
pub(crate) fn picture(
    id: &str,
    title: &str,
    machines: &[&MachineData],
    groups: &PriceGroups<'_>,
) -> Result<(Html, Script), String> {
    let lines = lines(groups);
    let x = axis(machines.len(), groups);
    let view = |(at, machine): (usize, &&MachineData)| View {
        machine: machine.short().to_owned(),
        scale: "log",
        scene: scene(at, machine, groups, &lines, x.clone()),
    };
    let views: Vec<View> = machines.iter().enumerate().map(view).collect();
    plot::element(id, &alternative(title, machines[0], groups), &views)
}

/// The line of each group's name, and those of its prices: a gap sets groups apart.
fn lines(groups: &PriceGroups<'_>) -> Vec<(f64, Vec<f64>)> {
    const GAP: f64 = 0.4;
    let mut next = 0.0;
    let of_group = |prices: &Vec<Price<'_>>| {
        let head = next;
        next = head + prices.len() as f64 + 1.0 + GAP;
        (head, (1..=prices.len()).map(|line| head + line as f64).collect())
    };
    groups.values().map(of_group).collect()
}

/// All prices of all machines have a place on it, with a tick at each power of ten.
fn axis(machines: usize, groups: &PriceGroups<'_>) -> Axis {
    let prices = groups.values().flatten();
    let marks = prices.flat_map(|price| (0..machines).filter_map(|machine| price.mark(machine)));
    let intervals = marks.flat_map(|mark| iter::once(mark.interval).chain(mark.other));
    let (low, high) = axis::ends(&axis::above_zero(intervals));
    let (from, to) = (low / 1.5, high * 1.5);
    let powers = from.log10().ceil() as i32..=to.log10().floor() as i32;
    let tick = |power| {
        let value = 10f64.powi(power);
        (value, number_format::value(value, Dimension::TIME))
    };
    let ticks = powers.map(tick).collect();
    let none = Axis::of_groups("", iter::empty());
    Axis { is_log: true, ends: (from, to), ticks, has_grid: true, ..none }
}

fn scene(
    at: usize,
    machine: &MachineData,
    groups: &PriceGroups<'_>,
    lines: &[(f64, Vec<f64>)],
    x: Axis,
) -> Scene {
    let last = lines.last().map_or(0.0, |(head, prices)| prices.last().copied().unwrap_or(*head));
    let y = Axis { ends: (last + 0.6, -0.6), ..Axis::of_lines(iter::empty()) };
    let (mut layers, mut labels) = (Vec::new(), Vec::new());
    for (place, ((name, group), (head, prices))) in iter::zip(groups, lines).enumerate() {
        labels.push(Label {
            text: format!("<b>{name}</b>"),
            at: At::Picture(0.0, y.place(*head)),
            shift: 0.0,
            is_above: false,
        });
        let (mut points, mut crosses) = (Vec::new(), Vec::new());
        for (price, line) in iter::zip(group, prices) {
            let Some(mark) = price.mark(at) else {
                let text = format!("<i>{}: not measured here</i>", price.what);
                let at = At::Picture(0.0, y.place(*line));
                labels.push(Label { text, at, shift: 0.0, is_above: false });
                continue;
            };
            labels.push(label(price, &mark, *line, &x));
            let point = |of: Interval| Point::of(of, *line, mark.tooltip.clone());
            crosses.extend(mark.other.map(point));
            points.push(point(mark.interval));
        }
        let Style { colour, symbol, .. } = series_styles::of_group(place);
        let both = [(None, Some(symbol), points), (Some(Role::SecondMode), None, crosses)];
        for (role, symbol, points) in both.into_iter().filter(|(.., points)| !points.is_empty()) {
            let shape = Shape::Markers(Marker { symbol, size: 10.0, outline: Some(1.0) });
            layers.push(Layer::of(machine, role, colour, points, shape));
        }
    }
    Scene { labels, ..Scene::of(x, y, layers, 1.8 * (last + 1.2) + 2.5) }
}

/// How wide a letter is on a phone, as a share of the picture, and how much its margins and a mark take.
const LETTER: f64 = 0.019;
const BESIDE: f64 = 0.03;

/// What is paid for and the figure, beside the mark and its interval: where that leaves no room, above it.
fn label(price: &Price<'_>, mark: &Mark<'_>, line: f64, x: &Axis) -> Label {
    let ends = iter::once(mark.interval).chain(mark.other).flat_map(|of| [of.low, of.high]);
    let (low, high) = axis::ends(&ends.collect::<Vec<_>>());
    let (what, figure) = (format!("<a href=\"{}\">{}</a>", price.href, price.what), figure(mark));
    let width = LETTER * (price.what.chars().count() + figure.chars().count() + 1) as f64;
    // The margin on the left is the wider one.
    let fits_left = width < x.place(low) + BESIDE;
    let fits_right = width + BESIDE < 1.0 - x.place(high);
    let is_right = x.place(mark.interval.estimate) < 0.5;
    let (is_right, is_above) = match (fits_left, fits_right) {
        (false, false) => (is_right, true),
        (left, right) => (if is_right { right } else { !left }, false),
    };
    let end = if is_above {
        mark.interval.estimate
    } else if is_right {
        high
    } else {
        low
    };
    let (text, shift) = if is_right {
        (format!("<b>{figure}</b> {what}"), 9.0)
    } else {
        (format!("{what} <b>{figure}</b>"), -9.0)
    };
    Label { text, at: At::Axes(end.max(x.ends.0), line), shift, is_above }
}

/// The rows that are drawn, as a table.
pub(crate) fn figures(machines: &[&MachineData], groups: &PriceGroups<'_>) -> Html {
    let of_price = |price: &'_ Price<'_>| {
        let rows = iter::zip(machines, &price.rows);
        let row = |(machine, row): (&&MachineData, &Option<&Row>)| {
            let row = (*row)?;
            let [cost, range] = match FoundFigure::of_row(row) {
                Some(found) => [found.in_words(Detail::Full), found.range()],
                None => ["not measured".to_owned(), String::new()],
            };
            let machine = machine.short().to_owned();
            let (what, of) = (price.what.to_owned(), format!("{}/{}", price.chapter, row.name()));
            Some(vec![what, row.contender.clone(), machine, cost, range, of])
        };
        rows.filter_map(row).collect::<Vec<_>>()
    };
    let heads = &["what", "contender", "machine", "cost", "95 % interval", "row"];
    Table { heads, rows: groups.values().flatten().flat_map(of_price).collect() }.html(None)
}

/// The picture in words.
fn alternative(title: &str, machine: &MachineData, groups: &PriceGroups<'_>) -> String {
    let mut text = format!(" Points on a logarithmic axis, on {}.", machine.for_people());
    for (name, prices) in groups {
        let price = |price: &Price<'_>| {
            let figure = price.mark(0).map_or("not measured".to_owned(), |mark| figure(&mark));
            format!("{} {figure}", price.what)
        };
        let prices: Vec<String> = prices.iter().map(price).collect();
        text += &format!(" {name}: {}.", prices.join(", "));
    }
    format!("{title}.{text}")
}
