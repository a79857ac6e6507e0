//! Pictures of rows of any chapters: names one below the other, and under each its marks, all on one logarithmic axis.
//! A view a machine, and folded below it a table.

use std::iter;

use measurement::Interval;

use super::ScaleKind;
use super::axis::Axis;
use super::colour::Rgb;
use super::mark::drawn;
use super::plot::{self, View};
use super::scene::{At, Label, Layer, Legend, Marker, Point, Role, RowTooltip, Scene, Shape};
use super::series_styles;
use super::style::LineStyle;
use crate::block::block_kind::Shown;
use crate::data::{ChapterData, MachineData};
use crate::figure::Subject;
use crate::figure::number_format::{Dimension, UnitScale, ends, rounded};
use crate::figure::rich_text::RichText;
use crate::figure::selector::{Missing, Selector};
use crate::html::{Html, anchor, html};
use crate::page::on_page::OnPage;
use crate::table::Table;
use crate::toml_block::{At as _, BlockError, wrong};

/// What lies between two series is neither's.
const GREY: Rgb = Rgb::of(0x7f7f7f);

/// What a mark is of, read on its page: how many of a row.
pub(super) struct Part {
    pub(super) count: u64,
    pub(super) row: Selector,
    pub(super) subject: Subject,
    pub(super) chapter: String,
}

impl Part {
    pub(super) fn read(text: &str, on: &OnPage<'_>) -> Result<Part, String> {
        let subject = on.page.names.value(text)?;
        let Some((count, row)) = subject.row() else {
            return Err(format!("{text:?} is no row, and not so many of one"));
        };
        let chapter = on.chapter_of(&subject).to_owned();
        Ok(Part { count, row: row.clone(), chapter, subject })
    }

    /// What the pages tell of its experiment.
    pub(super) fn reference<'a>(&self, on: &OnPage<'a>) -> Result<&'a ChapterData, String> {
        on.reference(&self.chapter, self.subject.experiment())
    }

    /// What a machine says of its chapter, if it has such a row.
    pub(super) fn on_machine<'a>(&self, machine: &'a MachineData) -> Option<&'a ChapterData> {
        let data = machine.chapters.get(&self.chapter)?;
        self.subject.is_in(&data.evidence).then_some(data)
    }

    /// The mark of a machine, in the look of a series; its figure is to be a time.
    pub(super) fn mark(&self, series: usize, data: &ChapterData) -> Result<NamedMark, Missing> {
        let row = self.row.one(&data.evidence).map_err(Missing::Mistake)?;
        let figure = self.subject.find(&data.evidence)?;
        if figure.mostly().1 != Dimension::TIME {
            return Err(Missing::Mistake(format!("{:?} is no time", self.subject.to_string())));
        }
        let count = if self.count == 1 { String::new() } else { format!("{} x ", self.count) };
        let id = format!("{count}{}/{}", self.chapter, row.name());
        let (interval, other) = drawn(&figure);
        let tooltip = RowTooltip { id, figure: figure.with_range() };
        Ok(NamedMark { series, interval, other, contender: row.contender.clone(), tooltip })
    }
}

/// What is drawn of a part on a machine.
pub(super) struct NamedMark {
    /// The place of its series.
    series: usize,
    pub(super) interval: Interval,
    /// The second mode of its visits.
    other: Option<Interval>,
    contender: String,
    /// `1000 x tea/boil: pot`, with its interval.
    tooltip: RowTooltip,
}

impl NamedMark {
    /// All that has a place on the axis of it.
    fn values(&self) -> impl Iterator<Item = f64> + use<> {
        let intervals = iter::once(self.interval).chain(self.other);
        intervals.flat_map(|of| [of.low, of.estimate, of.high])
    }
}

/// A name, and what a machine has of it.
pub(super) struct Named<'a> {
    name: &'a str,
    /// None where it was not measured.
    marks: Vec<NamedMark>,
    /// What stands behind the name, or where it has two marks behind these.
    words: String,
    is_head: bool,
}

impl<'a> Named<'a> {
    pub(super) fn new(name: &'a str, marks: Vec<NamedMark>, words: String) -> Named<'a> {
        Named { name, marks, words, is_head: false }
    }

    /// Of a machine that has not measured it.
    pub(super) fn lacking(name: &'a str) -> Named<'a> {
        Named::new(name, Vec::new(), String::new())
    }

    /// The name of a series, above those that have marks of it, in place of a legend.
    pub(super) fn head(name: &'a str) -> Named<'a> {
        Named { is_head: true, ..Named::lacking(name) }
    }
}

/// What pictures of a kind have in common.
pub(super) struct Picture<'a> {
    pub(super) series: Vec<&'a str>,
    /// Of names, contenders, machines, series, figures, and of words, or of rows where names have a mark each.
    pub(super) heads: &'static [&'static str],
    /// How far below its name a mark stands, and how far below that the next name, in lines of text.
    pub(super) lines: (f64, f64),
}

impl Picture<'_> {
    /// The figure of all machines that have any mark: the picture of the first of them, in words as well, what else is
    /// to be said, and the table.
    pub(super) fn figure(
        &self,
        id: String,
        title: &RichText,
        mut machines: Vec<(&MachineData, Vec<Named<'_>>)>,
        note: &Html,
    ) -> Result<Shown, BlockError> {
        machines.retain(|(_, all)| all.iter().any(|named| !named.marks.is_empty()));
        let Some((reference, of_reference)) = machines.first() else {
            wrong!(1, "no machine has measured any of these");
        };
        let marks = machines.iter().flat_map(|(_, all)| all).flat_map(|named| &named.marks);
        let has_cross = marks.clone().any(|mark| mark.other.is_some());
        let cross = has_cross.then_some(" A cross marks the second of two modes.");
        let values: Vec<f64> = marks.flat_map(NamedMark::values).filter(|end| *end > 0.0).collect();
        let view = |(machine, all): &(&MachineData, Vec<Named<'_>>)| View {
            machine: machine.short().to_owned(),
            scale: "log",
            scene: self.scene(machine, all, &values),
        };
        let views: Vec<View> = machines.iter().map(view).collect();
        let label = format!("{}.{}", title.plain(), self.in_words(reference, of_reference));
        let (picture, script) = plot::element(&id, &label, &views).at(1)?;
        let html = html!(
            "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n{}\n\
             <p class=\"measured-small\">Measured on {}.{}{}</p>\n<details class=\"measured-table\" open>\
             <summary>The figures behind this picture, machine by machine</summary>\n{}</details></figure>",
            anchor("chart", &id),
            title,
            picture,
            reference.for_people(),
            cross,
            note,
            self.table(&machines).html(None)
        );
        Ok(Shown { script: Some(script), id: Some(id), ..Shown::from(html) })
    }

    fn table(&self, machines: &[(&MachineData, Vec<Named<'_>>)]) -> Table {
        let mut rows = Vec::new();
        for place in 0..machines[0].1.len() {
            for (machine, all) in machines {
                let Named { name, marks, words, .. } = &all[place];
                for (index, mark) in marks.iter().enumerate() {
                    let last = match marks.len() - index {
                        _ if marks.len() == 1 => &mark.tooltip.id,
                        1 => words,
                        _ => "",
                    };
                    let series = self.series[mark.series];
                    let (contender, figure) = (&*mark.contender, &*mark.tooltip.figure);
                    let cells = [name, contender, machine.short(), series, figure, last];
                    rows.push(cells.map(str::to_owned).to_vec());
                }
            }
        }
        Table { heads: self.heads, rows }
    }

    fn scene(&self, machine: &MachineData, all: &[Named<'_>], values: &[f64]) -> Scene {
        let (below, next) = self.lines;
        let line = |place: usize| place as f64 * (below + next);
        let one = UnitScale { divisor: 1.0, name: "" };
        let x = Axis::of_quantity("", ScaleKind::Log, values, Dimension::TIME, one);
        let last = line(all.len());
        let y = Axis { ends: (last - next / 2.0, -0.9), ..Axis::of_lines(iter::empty()) };
        let (mut labels, mut layers) = (Vec::new(), Vec::new());
        let mut series: Vec<_> = self.series.iter().map(|_| (Vec::new(), Vec::new())).collect();
        for (place, Named { name, marks, words, is_head }) in all.iter().enumerate() {
            let (head, height) = (line(place), line(place) + below);
            let behind = match marks.len() {
                0 => ": <i>not measured here</i>",
                // What has one mark has room for them.
                1 => &format!(" <b>{words}</b>"),
                _ => "",
            };
            let at = At::Picture(0.0, rounded(y.place(head), 4));
            let name = if *is_head { format!("<b>{name}</b>") } else { format!("{name}{behind}") };
            labels.push(Label { text: name, at, shift: 2.0, is_above: false });
            for NamedMark { series: of, interval, other, tooltip, .. } in marks {
                let point = |of: Interval| Point::of(of, height, tooltip.clone());
                series[*of].0.push(point(*interval));
                series[*of].1.extend(other.map(point));
            }
            let [first, .., last] = &marks[..] else { continue };
            let estimate = |mark: &NamedMark| {
                let at = (rounded(mark.interval.estimate, 7), height);
                Point { at, whisker: None, row: None }
            };
            let points = vec![estimate(first), estimate(last)];
            let shape = Shape::Line { style: LineStyle::Solid, is_stepped: false, marker: None };
            let name = Some((self.series[last.series].to_owned(), false));
            let layer = Layer::of(machine, Some(Role::Distances), GREY, points, shape);
            layers.push(Layer { series: name, ..layer });
            let (low, high) = ends(marks.iter().flat_map(NamedMark::values));
            let has_room = x.place(high) < 0.75;
            let (value, shift) = if has_room { (high, 8.0) } else { (low.max(x.ends.0), -8.0) };
            let at = At::Axes(value, height);
            labels.push(Label { text: format!("<b>{words}</b>"), at, shift, is_above: false });
        }
        for (place, (name, (points, crosses))) in self.series.iter().zip(series).enumerate() {
            let style = series_styles::of_group(place);
            let both =
                [(None, Some(style.symbol), points), (Some(Role::SecondMode), None, crosses)];
            for (role, symbol, points) in both.into_iter().filter(|(.., of)| !of.is_empty()) {
                let is_in_legend = role.is_none();
                let shape = Shape::Markers(Marker { symbol, size: 10.0, outline: Some(1.0) });
                let layer = Layer::of(machine, role, style.colour, points, shape);
                let series = Some(((*name).to_owned(), is_in_legend));
                layers.push(Layer { series, ..layer });
            }
        }
        let legend =
            if all.iter().any(|named| named.is_head) { Legend::Never } else { Legend::Always };
        let margin = [8.0, 16.0, 8.0];
        Scene { labels, legend, margin, ..Scene::of(x, y, layers, 1.05 * last + 4.0) }
    }

    /// The picture of a machine in words.
    fn in_words(&self, machine: &MachineData, all: &[Named<'_>]) -> String {
        let (series, machine) = (self.series.join(" and "), machine.short());
        let mut text = format!(" Points on a logarithmic axis ({series}), on {machine}.");
        for Named { name, marks, words, is_head } in all {
            let figures: Vec<&str> = marks.iter().map(|mark| &*mark.tooltip.figure).collect();
            text += &match figures[..] {
                [] if *is_head => format!(" {name}:"),
                [] => format!(" {name}: not measured."),
                [figure] => format!(" {name}: {figure}."),
                _ => format!(" {name}: {}, {words}.", figures.join(" and ")),
            };
        }
        text
    }
}
