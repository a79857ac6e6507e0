//! Pictures of rows from any chapters: a column of names with their marks, all on one logarithmic
//! axis. There is a view per machine, and a folded table below.

use std::iter;

use findings::data::{ChapterData, MachineData};
use findings::figure::Figure;
use findings::find::{self, Missing};
use findings::table::Table;
use language::block::{BlockError, ScaleKind};
use language::colour::Rgb;
use language::selector::Selector;
use language::style::LineStyle;
use language::subject::Subject;
use language::wrong;
use measurement::Interval;
use measurement::number_format::{Dimension, UnitScale, ends, rounded};

use super::plot::{self, View};
use super::{
    At, Axis, Drawn, Label, Layer, Legend, Mark, Marker, Role, Scene, Series, Shape, series_styles,
};
use crate::block::Shown;
use crate::html::{Html, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;
use crate::table;

/// The line between two series belongs to neither.
const GREY: Rgb = Rgb::of(0x7f7f7f);

/// The subject of a mark, parsed with the names of its page: a multiple of a row.
pub(super) struct Part {
    pub count: u64,
    pub row: Selector,
    pub subject: Subject,
    pub chapter: String,
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

    /// Returns the data that the pages show for its experiment.
    pub(super) fn reference<'a>(&self, on: &OnPage<'a>) -> Result<&'a ChapterData, String> {
        on.reference(&self.chapter, self.subject.experiment())
    }

    /// Returns a machine's data on its chapter, if it has the row.
    pub(super) fn on_machine<'a>(&self, machine: &'a MachineData) -> Option<&'a ChapterData> {
        let data = machine.chapters.get(&self.chapter)?;
        find::is_in(&self.subject, &data.evidence).then_some(data)
    }

    /// Returns the mark of a machine, with its name `1000 x tea/boil: pot`. The figure has to be a
    /// time.
    pub(super) fn mark<'a>(&self, data: &'a ChapterData) -> Result<Mark<'a>, Missing> {
        let row = find::one(&self.row, &data.evidence).map_err(Missing::Mistake)?;
        let figure = Figure::find(&self.subject, &data.evidence)?;
        if figure.dimension() != Dimension::TIME {
            return Err(Missing::Mistake(format!("{:?} is no time", self.subject.to_string())));
        }
        let count = if self.count == 1 { String::new() } else { format!("{} x ", self.count) };
        Ok(Mark::of_figure(&figure, row, format!("{count}{}/{}", self.chapter, row.name())))
    }
}

/// A name, and a machine's marks for it.
pub(super) struct Named<'a> {
    pub name: &'a str,
    /// Empty if it was not measured; otherwise one per series, from this one on.
    pub marks: Vec<Mark<'a>>,
    pub series: usize,
    /// The text after the name or, with two marks, after these.
    pub words: String,
    /// True for the name of a series above its marks, instead of a legend.
    pub is_head: bool,
}

impl<'a> Named<'a> {
    /// Returns the entry for a machine that has not measured it.
    pub(super) fn lacking(name: &'a str) -> Named<'a> {
        Named { name, marks: Vec::new(), series: 0, words: String::new(), is_head: false }
    }
}

/// Returns all values of a mark that its axis has to include.
fn values(mark: &Mark<'_>) -> impl Iterator<Item = f64> + use<> {
    let Interval { estimate, low, high } = mark.interval;
    [low, estimate, high].into_iter()
}

/// The common properties of a kind of picture.
pub(super) struct Picture<'a> {
    pub series: Vec<&'a str>,
    /// The heads for names, contenders, machines, series, figures, and words, or rows if names have
    /// one mark each.
    pub heads: &'static [&'static str],
    /// The distance of a mark below its name, and of the next name below that, in lines of text.
    pub lines: (f64, f64),
}

impl Picture<'_> {
    /// Returns the figure of all machines with any mark: the picture of the first of them, further
    /// text, and the table.
    pub(super) fn figure(
        &self,
        id: String,
        title: &RichText,
        mut machines: Vec<(&MachineData, Vec<Named<'_>>)>,
        note: &Html,
    ) -> Result<Shown, BlockError> {
        machines.retain(|(_, all)| all.iter().any(|named| !named.marks.is_empty()));
        let Some((reference, _)) = machines.first() else {
            wrong!(1, "no machine has measured any of these");
        };
        let marks = machines.iter().flat_map(|(_, all)| all).flat_map(|named| &named.marks);
        let values: Vec<f64> = marks.flat_map(values).filter(|end| *end > 0.0).collect();
        let view = |(machine, all): &(&MachineData, Vec<Named<'_>>)| View {
            machine: machine.short().to_owned(),
            scale: "log",
            scene: self.scene(machine, all, &values),
        };
        let views: Vec<View> = machines.iter().map(view).collect();
        let kind = format!("Points on a logarithmic axis ({})", self.series.join(" and "));
        let below = html!(
            "<p class=\"measured-small\">Measured on {}.{}</p>\n<details class=\"measured-table\" open>\
             <summary>The figures behind this picture, machine by machine</summary>\n{}</details>",
            reference.for_people(),
            note,
            table::html(&self.table(&machines), None)
        );
        plot::figure(id, title, &kind, &views, below)
    }

    fn table(&self, machines: &[(&MachineData, Vec<Named<'_>>)]) -> Table {
        let mut rows = Vec::new();
        for place in 0..machines[0].1.len() {
            for (machine, all) in machines {
                let Named { name, marks, words, series, .. } = &all[place];
                for (index, mark) in marks.iter().enumerate() {
                    let last = match marks.len() - index {
                        _ if marks.len() == 1 => &mark.tooltip.id,
                        1 => words,
                        _ => "",
                    };
                    let (contender, figure) = (&*mark.row.contender, &*mark.tooltip.figure);
                    let series = self.series[series + index];
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
        let of_series = |(place, name): (usize, &&str)| Series {
            machine,
            drawn: Drawn { is_lying: true, divisor: 1.0 },
            name: Some(((*name).to_owned(), true)),
            style: series_styles::of_group(place),
            marks: Vec::new(),
        };
        let mut all_series: Vec<Series<'_>> =
            self.series.iter().enumerate().map(of_series).collect();
        let (mut labels, mut layers) = (Vec::new(), Vec::new());
        for (place, Named { name, marks, series, words, is_head }) in all.iter().enumerate() {
            let (head, height) = (line(place), line(place) + below);
            let behind = match marks.len() {
                0 => ": <i>not measured here</i>",
                // With one mark, there is room for the words.
                1 => &format!(" <b>{words}</b>"),
                _ => "",
            };
            let at = At::Picture(0.0, rounded(y.place(head), 4));
            let name = if *is_head { format!("<b>{name}</b>") } else { format!("{name}{behind}") };
            labels.push(Label { text: name, at, shift: 2.0, is_above: false });
            for (index, mark) in marks.iter().enumerate() {
                all_series[series + index].marks.push((height, mark.clone()));
            }
            let [first, .., last] = &marks[..] else { continue };
            let series = &all_series[series + marks.len() - 1];
            let ends_of = [first, last].map(|it| series.drawn.point(height, it.interval.estimate));
            let shape = Shape::Line { style: LineStyle::Solid, is_stepped: false, marker: None };
            let between = series.layer(Some(Role::Distances), ends_of.into(), shape);
            layers.push(Layer { colour: GREY, ..between });
            let (low, high) = ends(marks.iter().flat_map(self::values));
            let has_room = x.place(high) < 0.75;
            let (value, shift) = if has_room { (high, 8.0) } else { (low.max(x.ends.0), -8.0) };
            let at = At::Axes(value, height);
            labels.push(Label { text: format!("<b>{words}</b>"), at, shift, is_above: false });
        }
        for series in all_series.iter().filter(|series| !series.marks.is_empty()) {
            let (symbol, outline) = (series.style.symbol, Some(1.0));
            layers.push(series.rows(Shape::Markers(Marker { symbol, size: 10.0, outline })));
        }
        let legend =
            if all.iter().any(|named| named.is_head) { Legend::Never } else { Legend::Always };
        let margin = [8.0, 16.0, 8.0];
        Scene { labels, legend, margin, ..Scene::of(x, y, layers, 1.05 * last + 4.0) }
    }
}
