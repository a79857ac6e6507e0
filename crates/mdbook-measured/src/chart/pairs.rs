//! A `pairs` block: the same programs in two settings, on one logarithmic axis, with what the second setting makes of
//! each, and as a table. They may be of several experiments.

use std::iter;

use indexmap::IndexMap;
use measurement::{Interval, Row};
use serde::Deserialize;

use super::ScaleKind;
use super::axis::{Axis, above_zero};
use super::colour::Rgb;
use super::of_machines;
use super::scene::{At, Label, Layer, Legend, Marker, Point, Role, RowTooltip, Scene, Shape};
use super::series_styles;
use super::style::LineStyle;
use crate::block::block_kind::Shown;
use crate::data::{ChapterData, MachineData};
use crate::figure::number_format::{Dimension, UnitScale, ends, rounded};
use crate::figure::selector::{Missing, Selector, in_one_unit};
use crate::figure::{Figure, Subject};
use crate::html::html;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::page::title::title;
use crate::table::Table;
use crate::toml_block::{At as _, BlockError, from_toml, wrong};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsBlock {
    id: String,
    title: String,
    settings: [String; 2],
    programs: IndexMap<String, [String; 2]>,
}

/// A program in a setting, read on its page: how many of a row.
struct Part {
    count: u64,
    row: Selector,
    subject: Subject,
}

/// A program in both settings on a machine.
struct Pair {
    of: [Told; 2],
    /// What the second setting makes of it: `× 4.3`, or [`ALIKE`].
    factor: String,
}

/// What is told of a program in a setting.
struct Told {
    interval: Interval,
    contender: String,
    /// The chapter and the name of its row, how many of it, and the figure with its interval:
    /// `1000 x tea/boil: pot`.
    tooltip: RowTooltip,
}

/// The programs, and what a machine has of each.
type Pairs<'a> = Vec<(&'a String, Option<Pair>)>;

/// What lies between two settings is neither's.
const GREY: Rgb = Rgb::of(0x7f7f7f);

/// What stands for a ratio that may be on either side of 1.
const ALIKE: &str = "≈";

/// How far below its name a pair stands, and how far below that the next name, in lines of text.
const LINES: (f64, f64) = (1.3, 1.9);

/// The figure that a block describes.
pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let PairsBlock { id, title: words, settings, programs } = from_toml(body)?;
    if programs.is_empty() {
        wrong!("settings", "no program is given: write it under [programs]");
    }
    let title = title(&id, &words, on)?;
    let mut parts: Vec<(&String, [Part; 2])> = Vec::new();
    for (program, both) in &programs {
        let place = ("programs", program);
        let [one, other] = both.each_ref().map(|of| part(of, on));
        let both = [one.at(place)?, other.at(place)?];
        let [chapter, other] = both.each_ref().map(|part| on.chapter_of(&part.subject));
        if other != chapter {
            wrong!(place, "the two are rows of two chapters, whose runs were not made together");
        }
        let reference = on.reference(chapter, both[0].subject.experiment()).at(place)?;
        pair(&both, chapter, reference).at(place)?;
        parts.push((program, both));
    }
    let on_machine = |machine: &MachineData| -> Pairs<'_> {
        let of_parts = |both: &[Part; 2]| {
            let chapter = on.chapter_of(&both[0].subject);
            let data = machine.chapters.get(chapter)?;
            // Another machine may have measured less.
            both.iter().all(|part| part.subject.is_in(&data.evidence)).then_some(())?;
            pair(both, chapter, data).ok().flatten()
        };
        parts.iter().map(|(program, both)| (*program, of_parts(both))).collect()
    };
    let machines = on.context.data.machines.iter().map(|machine| (machine, on_machine(machine)));
    let mut machines: Vec<(&MachineData, Pairs<'_>)> = machines.collect();
    machines.retain(|(_, pairs)| pairs.iter().any(|(_, pair)| pair.is_some()));
    let all = machines.iter().flat_map(|(_, pairs)| pairs).filter_map(|(_, pair)| pair.as_ref());
    let values = above_zero(all.flat_map(|pair| &pair.of).map(|told| told.interval));
    let scenes = machines.iter().map(|(machine, pairs)| {
        let scene = scene(&settings, machine, pairs, &values);
        (*machine, scene)
    });
    let scenes = scenes.collect();
    let stale = on.stale(parts.iter().flat_map(|(_, both)| both).map(|part| &part.subject));
    let note = html!(" {} stands for no difference detected.{}", ALIKE, stale);
    let in_words = |machine: &MachineData| alternative(&settings, machine, &machines[0].1);
    let table = table(&settings, &programs, &machines).html(None);
    of_machines::figure(id, &title, scenes, in_words, &note, &table)
}

fn part(text: &str, on: &OnPage<'_>) -> Result<Part, String> {
    let subject = on.page.names.value(text)?;
    match subject.row() {
        Some((count, row)) => Ok(Part { count, row: row.clone(), subject }),
        None => Err(format!("{text:?} is no row, and not so many of one")),
    }
}

/// A program on a machine; none if it was not measured there.
fn pair(both: &[Part; 2], chapter: &str, data: &ChapterData) -> Result<Option<Pair>, String> {
    let found = || {
        let rows = both.each_ref().map(|part| part.row.one(&data.evidence));
        let [one, other] = rows.map(|row| row.map_err(Missing::Mistake));
        let (one, other) = (one?, other?);
        in_one_unit(one, other)?;
        let told = |Part { count, subject, .. }: &Part, row: &Row| {
            let figure = subject.find(&data.evidence)?;
            let (interval, dimension) = figure.mostly();
            if dimension != Dimension::TIME {
                return Err(Missing::Mistake(format!("{:?} is no time", subject.to_string())));
            }
            let count = if *count == 1 { String::new() } else { format!("{count} x ") };
            let id = format!("{count}{chapter}/{}", row.name());
            let tooltip = RowTooltip { id, figure: figure.with_range() };
            Ok(Told { interval, contender: row.contender.clone(), tooltip })
        };
        let of = [told(&both[0], one)?, told(&both[1], other)?];
        let counts = both[1].count as f64 / both[0].count as f64;
        let ratio = Figure::of_ratio(other, one, &data.evidence)?.times(counts);
        let factor = if ratio.is_told_apart() { ratio.factor() } else { ALIKE.to_owned() };
        Ok(Pair { of, factor })
    };
    Missing::or_none(found())
}

fn table(
    settings: &[String; 2],
    programs: &IndexMap<String, [String; 2]>,
    machines: &[(&MachineData, Pairs<'_>)],
) -> Table {
    let mut rows = Vec::new();
    for (place, program) in programs.keys().enumerate() {
        for (machine, pairs) in machines {
            let Some(Pair { of, factor }) = &pairs[place].1 else { continue };
            for ((setting, told), factor) in settings.iter().zip(of).zip(["", factor]) {
                let Told { contender, tooltip, .. } = told;
                let cells = [program, contender, machine.short(), setting, &tooltip.figure, factor];
                rows.push(cells.map(str::to_owned).to_vec());
            }
        }
    }
    Table { heads: &["program", "contender", "machine", "setting", "time", "times as long"], rows }
}

fn scene(
    settings: &[String; 2],
    machine: &MachineData,
    pairs: &Pairs<'_>,
    values: &[f64],
) -> Scene {
    let (below, next) = LINES;
    let line = |place: usize| place as f64 * (below + next);
    let one = UnitScale { divisor: 1.0, name: "" };
    let x = Axis::of_quantity("", ScaleKind::Log, values, Dimension::TIME, one);
    let last = line(pairs.len());
    let y = Axis { ends: (last - next / 2.0, -0.9), ..Axis::of_lines(iter::empty()) };
    let (mut labels, mut between) = (Vec::new(), Vec::new());
    let mut points = [Vec::new(), Vec::new()];
    for (place, (program, pair)) in pairs.iter().enumerate() {
        let (head, height) = (line(place), line(place) + below);
        let lacks = if pair.is_none() { ": <i>not measured here</i>" } else { "" };
        let at = At::Picture(0.0, rounded(y.place(head), 4));
        labels.push(Label { text: format!("{program}{lacks}"), at, shift: 2.0, is_above: false });
        let Some(Pair { of: both, factor }) = pair else { continue };
        let estimate = |told: &Told| {
            let at = (rounded(told.interval.estimate, 7), height);
            Point { at, whisker: None, row: None }
        };
        let estimates = both.iter().map(estimate).collect();
        let line = Shape::Line { style: LineStyle::Solid, is_stepped: false, marker: None };
        let series = Some((settings[1].clone(), false));
        let role = Some(Role::Distances);
        between.push(Layer { series, ..Layer::of(machine, role, GREY, estimates, line) });
        for (points, Told { interval, tooltip, .. }) in points.iter_mut().zip(both) {
            points.push(Point::of(*interval, height, tooltip.clone()));
        }
        let (low, high) = ends(both.iter().flat_map(|of| [of.interval.low, of.interval.high]));
        let has_room = x.place(high) < 0.75;
        let (value, shift) = if has_room { (high, 8.0) } else { (low.max(x.ends.0), -8.0) };
        let text = format!("<b>{factor}</b>");
        labels.push(Label { text, at: At::Axes(value, height), shift, is_above: false });
    }
    let settings = settings.iter().zip(points).enumerate().map(|(place, (name, points))| {
        let style = series_styles::of_group(place);
        let marker = Marker { symbol: Some(style.symbol), size: 10.0, outline: Some(1.0) };
        let series = Some((name.clone(), true));
        Layer { series, ..Layer::of(machine, None, style.colour, points, Shape::Markers(marker)) }
    });
    let layers = between.into_iter().chain(settings).collect();
    let margin = [8.0, 16.0, 8.0];
    Scene { labels, legend: Legend::Always, margin, ..Scene::of(x, y, layers, 1.05 * last + 4.0) }
}

/// The picture in words.
fn alternative([one, other]: &[String; 2], machine: &MachineData, pairs: &Pairs<'_>) -> String {
    let machine = machine.short();
    let mut text =
        format!(" Pairs of points on a logarithmic axis, {one} and {other}, on {machine}.");
    for (program, pair) in pairs {
        text += &match pair {
            Some(Pair { of, factor }) => {
                let [one, other] = of.each_ref().map(|told| &told.tooltip.figure);
                format!(" {program}: {one} and {other}, {factor}.")
            }
            None => format!(" {program}: not measured."),
        };
    }
    text
}
