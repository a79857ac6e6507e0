//! A `pairs` block: the same programs in two settings, on one logarithmic axis, with what the second setting makes of
//! each, and as a table. They may be of several experiments.

use std::iter;

use indexmap::IndexMap;
use measurement::{Interval, LineError, Row};
use serde::Deserialize;

use super::ScaleKind;
use super::axis::{Axis, above_zero, ends};
use super::lines::GREY;
use super::plot::{self, View};
use super::scene::{At, Label, Layer, Legend, Marker, Point, Role, RowTooltip, Scene, Shape};
use super::series_styles;
use super::style::LineStyle;
use crate::assets::Script;
use crate::block::block_kind::Shown;
use crate::data::{ChapterData, MachineData};
use crate::figure::number_format::{Dimension, UnitScale, rounded};
use crate::figure::selector::{Missing, Selector, in_one_unit};
use crate::figure::{Figure, Subject};
use crate::html::{Html, html};
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::page::title::{figure_of_machines, title};
use crate::table::Table;
use crate::toml_block::{At as _, from_toml, line_of_entry, line_of_key};

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

/// The figure that a block describes.
pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, LineError> {
    let PairsBlock { id, title: words, settings, programs } = from_toml(body)?;
    if programs.is_empty() {
        let message = "no program is given: write it under [programs]";
        return Err(LineError::new(line_of_key(body, "settings"), message));
    }
    let title = title(body, &id, &words, on)?;
    let mut parts: Vec<[Part; 2]> = Vec::new();
    for (program, both) in &programs {
        let line = line_of_entry(body, "programs", program);
        let [one, other] = both.each_ref().map(|of| part(of, on));
        let both = [one.at(line)?, other.at(line)?];
        let (chapter, experiment) = (on.chapter_of(&both[0].subject), both[0].subject.experiment());
        if on.chapter_of(&both[1].subject) != chapter {
            return Err(LineError::new(
                line,
                "the two are rows of two chapters, whose runs were not made together",
            ));
        }
        let reference = on.reference(chapter, experiment).at(line)?;
        pair(&both, chapter, reference).at(line)?;
        parts.push(both);
    }
    let on_machine = |machine: &MachineData| -> Vec<Option<Pair>> {
        let of_parts = |both: &[Part; 2]| {
            let chapter = on.chapter_of(&both[0].subject);
            let data = machine.chapters.get(chapter)?;
            // Another machine may have measured less.
            both.iter().all(|part| part.subject.is_in(&data.evidence)).then_some(())?;
            pair(both, chapter, data).ok().flatten()
        };
        parts.iter().map(of_parts).collect()
    };
    let machines = on.context.data.machines.iter().map(|machine| (machine, on_machine(machine)));
    let pairs = Pairs {
        id: &id,
        title: title.plain(),
        settings: &settings,
        programs: programs.keys().map(String::as_str).collect(),
        machines: machines.filter(|(_, of)| of.iter().any(Option::is_some)).collect(),
    };
    let Some((reference, _)) = pairs.machines.first() else {
        return Err(LineError::new(1, "no machine has measured any of these"));
    };
    let (picture, script) = picture(&pairs).at(1)?;
    let stale = on.stale(parts.iter().flatten().map(|part| &part.subject));
    let note = html!(" {} stands for no difference detected.{}", ALIKE, stale);
    let html = figure_of_machines((&id, &title), &picture, (reference, &note), &table(&pairs));
    Ok(Shown { script: Some(script), id: Some(id), ..Shown::from(html) })
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
        let told = |part: &Part, row: &Row| {
            let figure = part.subject.find(&data.evidence)?;
            let (interval, dimension) = figure.mostly();
            if dimension != Dimension::TIME {
                return Err(Missing::Mistake(format!("{:?} is no time", part.subject.to_string())));
            }
            let count = if part.count == 1 { String::new() } else { format!("{} x ", part.count) };
            let row_name = format!("{count}{chapter}/{}", row.name());
            let contender = row.contender.clone();
            Ok(Told { interval, contender, row: row_name, figure: figure.with_range() })
        };
        let of = [told(&both[0], one)?, told(&both[1], other)?];
        let counts = both[1].count as f64 / both[0].count as f64;
        let ratio = Figure::of_ratio(other, one, &data.evidence)?.times(counts);
        let factor = if ratio.is_told_apart() { ratio.factor() } else { ALIKE.to_owned() };
        Ok(Pair { of, factor })
    };
    Missing::or_none(found())
}

fn table(pairs: &Pairs<'_>) -> Html {
    let mut rows = Vec::new();
    for (place, program) in pairs.programs.iter().enumerate() {
        for (machine, of) in &pairs.machines {
            let Some(Pair { of, factor }) = &of[place] else { continue };
            for ((setting, told), factor) in pairs.settings.iter().zip(of).zip(["", factor]) {
                let Told { contender, figure, .. } = told;
                let cells = [*program, contender, machine.short(), setting, figure, factor];
                rows.push(cells.map(str::to_owned).to_vec());
            }
        }
    }
    let heads = &["program", "contender", "machine", "setting", "time", "times as long"];
    Table { heads, rows }.html(None)
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
    /// The chapter and the name of its row, and how many of it: `1000 x tea/boil: pot`.
    row: String,
    /// The figure with its interval, in words.
    figure: String,
}

/// All pairs, as they are drawn.
struct Pairs<'a> {
    id: &'a str,
    title: &'a str,
    settings: &'a [String; 2],
    programs: Vec<&'a str>,
    /// The pairs of each machine, those of the reference first; a machine may lack some.
    machines: Vec<(&'a MachineData, Vec<Option<Pair>>)>,
}

/// What stands for a ratio that may be on either side of 1.
const ALIKE: &str = "≈";

/// How far below its name a pair stands, and how far below that the next name, in lines of text.
const LINES: (f64, f64) = (1.3, 1.9);

/// The picture, a view a machine.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses it.
fn picture(pairs: &Pairs<'_>) -> Result<(Html, Script), String> {
    let all = pairs.machines.iter().flat_map(|(_, of)| of).flatten().flat_map(|pair| &pair.of);
    let values = above_zero(all.map(|told| told.interval));
    let view = |(machine, of): &(&MachineData, Vec<Option<Pair>>)| View {
        machine: machine.short().to_owned(),
        scale: "log",
        scene: scene(pairs, machine, of, &values),
    };
    let views: Vec<View> = pairs.machines.iter().map(view).collect();
    plot::element(pairs.id, &alternative(pairs), &views)
}

fn scene(pairs: &Pairs<'_>, machine: &MachineData, of: &[Option<Pair>], values: &[f64]) -> Scene {
    let (below, next) = LINES;
    let line = |place: usize| place as f64 * (below + next);
    let one = UnitScale { divisor: 1.0, name: "" };
    let x = Axis::of_quantity("", ScaleKind::Log, values, Dimension::TIME, one);
    let last = line(of.len());
    let y = Axis { ends: (last - next / 2.0, -0.9), ..Axis::of_lines(iter::empty()) };
    let (mut labels, mut between) = (Vec::new(), Vec::new());
    let mut points = [Vec::new(), Vec::new()];
    for (place, (program, pair)) in pairs.programs.iter().zip(of).enumerate() {
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
        let series = Some((pairs.settings[1].clone(), false));
        let role = Some(Role::Distances);
        between.push(Layer { series, ..Layer::of(machine, role, GREY, estimates, line) });
        for (points, Told { interval, row, figure, .. }) in points.iter_mut().zip(both) {
            let row = RowTooltip { id: row.clone(), figure: figure.clone() };
            points.push(Point::of(*interval, height, row));
        }
        let (low, high) =
            ends(&both.each_ref().map(|told| [told.interval.low, told.interval.high]).concat());
        let has_room = x.place(high) < 0.75;
        let (value, shift) = if has_room { (high, 8.0) } else { (low.max(x.ends.0), -8.0) };
        let text = format!("<b>{factor}</b>");
        labels.push(Label { text, at: At::Axes(value, height), shift, is_above: false });
    }
    let settings = pairs.settings.iter().zip(points).enumerate().map(|(place, (name, points))| {
        let style = series_styles::of_group(place);
        let marker = Marker { symbol: Some(style.symbol), size: 10.0, outline: Some(1.0) };
        let shape = Shape::Markers(marker);
        let series = Some((name.clone(), true));
        Layer { series, ..Layer::of(machine, None, style.colour, points, shape) }
    });
    let layers = between.into_iter().chain(settings).collect();
    let margin = [8.0, 16.0, 8.0];
    Scene { labels, legend: Legend::Always, margin, ..Scene::of(x, y, layers, 1.05 * last + 4.0) }
}

/// The picture in words.
fn alternative(pairs: &Pairs<'_>) -> String {
    let Some((machine, of)) = pairs.machines.first() else { return pairs.title.to_owned() };
    let [one, other] = pairs.settings;
    let mut text = format!(
        " Pairs of points on a logarithmic axis, {one} and {other}, on {}.",
        machine.short()
    );
    for (program, pair) in pairs.programs.iter().zip(of) {
        text += &match pair {
            Some(Pair { of: [one, other], factor }) => {
                format!(" {program}: {} and {}, {factor}.", one.figure, other.figure)
            }
            None => format!(" {program}: not measured."),
        };
    }
    format!("{}.{text}", pairs.title)
}
