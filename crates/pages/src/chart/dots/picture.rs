//! Draws named rows as a column of names with their marks below, all on one axis. A reader can
//! choose the machine and the scale. A table is folded away below.

use findings::data::MachineData;
use indexmap::IndexSet;
use language::block::{At as _, BlockError, ScaleKind, Words};
use language::colour::Colour;
use language::style::LineStyle;
use language::wrong;
use measurement::number_format::{self, Dimension, ends, rounded};

use super::part::{ALIKE, Compared, Part};
use crate::block::Shown;
use crate::chart::details::{Runs, intervals_note, measured_on, points, source, stale_in_words};
use crate::chart::plot::{self, View};
use crate::chart::{
    At, Axis, Drawn, LETTER, Label, Layer, Legend, Mark, Marker, PHONE, Role, Scene, Series, Shape,
    literal, series_styles,
};
use crate::html::{Html, each, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;
use crate::table;

pub(in crate::chart) struct Named<'a> {
    pub name: &'a str,
    /// The marks, one per series, beginning with the series at index `series`. Empty if the row
    /// was not measured.
    pub marks: Vec<Mark<'a>>,
    pub series: usize,
    pub compared: Option<Compared>,
    /// The reason why the row was not measured, if the machine recorded one.
    pub missing: String,
    /// True for a heading of the rows below. A heading has no marks, and replaces an entry in the
    /// legend.
    pub is_head: bool,
}

impl<'a> Named<'a> {
    /// Returns the entry of a row that the machine has not measured.
    pub(in crate::chart) fn lacking(name: &'a str) -> Named<'a> {
        let (marks, missing) = (Vec::new(), String::new());
        Named { name, marks, series: 0, compared: None, missing, is_head: false }
    }
}

/// The distance in pixels between a row's last mark and the factor to the right of it.
const BEHIND: f64 = 8.0;

/// Returns by how many pixels the text `factor` extends beyond the picture on a phone. `place` is
/// the position of the mark before it, as a share of the width.
fn beyond(place: f64, factor: &str) -> f64 {
    BEHIND + LETTER * factor.chars().count() as f64 - (1.0 - place) * PHONE
}

/// Returns the rows that have marks, and the headings above such rows: a row that a machine has
/// not measured takes no room in its picture.
fn with_marks<'a, 'b>(all: &'b [Named<'a>]) -> Vec<&'b Named<'a>> {
    let has_marks = |place: &usize| match &all[*place] {
        Named { is_head: true, .. } => {
            let mut below = all[place + 1..].iter().take_while(|named| !named.is_head);
            below.any(|named| !named.marks.is_empty())
        }
        named => !named.marks.is_empty(),
    };
    (0..all.len()).filter(has_marks).map(|place| &all[place]).collect()
}

/// Returns the ends of a mark's interval.
fn values(mark: &Mark<'_>) -> [f64; 2] {
    [mark.interval.low, mark.interval.high]
}

pub(in crate::chart) struct Picture<'a> {
    /// The names of the two marks in each row, or of the groups of rows. Empty if each row has
    /// one mark and there are no groups.
    pub series: Vec<&'a str>,
    /// True if the name of each group is above its rows, instead of in a legend.
    pub has_heads: bool,
    pub scale: ScaleKind,
    /// What a reader calls the quantities.
    pub words: Words,
    pub parts: Vec<&'a Part>,
    pub on: &'a OnPage<'a>,
}

impl Picture<'_> {
    /// Returns a figure with the picture and the table. The initially shown machine is the first
    /// one that has a mark.
    pub(in crate::chart) fn figure(
        &self,
        id: String,
        title: &RichText,
        mut machines: Vec<(&MachineData, Vec<Named<'_>>)>,
    ) -> Result<Shown, BlockError> {
        machines.retain(|(_, all)| all.iter().any(|named| !named.marks.is_empty()));
        let marks = || machines.iter().flat_map(|(_, all)| all).flat_map(|named| &named.marks);
        let Some(first) = marks().next() else {
            wrong!(1, "no machine has measured any of these");
        };
        let quantities: IndexSet<&str> = marks().map(|mark| &*mark.row.quantity).collect();
        let quantities = Vec::from_iter(quantities);
        self.words.check(&quantities).at("words")?;
        let dimension = Dimension::of_row(first.row);
        let title_of_x = match quantities[..] {
            [quantity] => self.words.of(quantity),
            _ if dimension == Dimension::TIME => "time".to_owned(),
            _ => String::new(),
        };
        let values_of = |marks: &mut dyn Iterator<Item = &Mark<'_>>| {
            let mut values: Vec<f64> = marks.flat_map(values).collect();
            if self.scale == ScaleKind::Log {
                values.retain(|value| *value > 0.0);
            }
            values
        };
        let scales = Axis::scales(&values_of(&mut marks()), self.scale);
        let mut views = Vec::new();
        for (machine, all) in &machines {
            let note = self.note(machine, all);
            // The axis includes this machine's marks only, so that another machine's don't crowd
            // them.
            let values = values_of(&mut all.iter().flat_map(|named| &named.marks));
            let scale = number_format::scale(ends(values.iter().copied()).1, dimension);
            for kind in &scales {
                let title = title_of_x.clone();
                let x = Axis::of_quantity(title, *kind, &values, dimension, scale);
                let scene = self.scene(machine, all, x, scale.divisor);
                let (machine, note) = (machine.short().to_owned(), note.clone());
                views.push(View { machine, scale: kind.name(), scene, note });
            }
        }
        let kind = match &self.series[..] {
            [] => "A dot a row".to_owned(),
            series => format!("Dots ({})", series.join(" and ")),
        };
        plot::figure(id, title, &kind, &views, self.details(&machines))
    }

    fn experiments(&self) -> IndexSet<(&str, &str)> {
        self.parts.iter().map(|part| (&*part.chapter, part.subject.experiment())).collect()
    }

    /// Returns the runs that `machine` made, if all rows are from one experiment.
    fn runs<'b>(&'b self, machine: &'b MachineData) -> Option<Runs<'b>> {
        let [(chapter, experiment)] = Vec::from_iter(self.experiments())[..] else { return None };
        let data = machine.chapters.get(chapter)?;
        Some(Runs { machine, data, chapter, experiment })
    }

    fn note(&self, machine: &MachineData, all: &[Named<'_>]) -> String {
        let measured = match self.runs(machine) {
            Some(runs) => runs.measured_on(),
            None => format!("{}.{}", measured_on(machine), self.stale(machine)),
        };
        let rows = all.iter().flat_map(|named| &named.marks).map(|mark| mark.row);
        let mut compared = all.iter().filter_map(|named| named.compared.as_ref());
        let alike = compared.any(|it| it.words == ALIKE);
        let alike = alike.then(|| format!(" {ALIKE} means that no difference was detected."));
        let alike = alike.unwrap_or_default();
        let missing = all.iter().filter(|named| named.marks.is_empty() && !named.is_head);
        let missing: Vec<&str> = missing.map(|named| named.name).collect();
        let missing = match &missing[..] {
            [] => String::new(),
            names => format!(" Not measured here: {}.", names.join("; ")),
        };
        format!("{measured}{}{alike}{missing}", intervals_note(rows))
    }

    fn stale(&self, machine: &MachineData) -> String {
        let of = |part: &&Part| part.on_machine(machine)?.stale(part.subject.experiment()).first();
        let stale: IndexSet<&String> = self.parts.iter().filter_map(of).collect();
        stale_in_words(stale)
    }

    /// Returns a `<details>` element with the table, the runs, and the command that repeats the
    /// runs.
    fn details(&self, machines: &[(&MachineData, Vec<Named<'_>>)]) -> Html {
        let mut rows = Html::default();
        for place in 0..machines[0].1.len() {
            for (machine, all) in machines {
                let Named { name, marks, series, compared, missing, .. } = &all[place];
                let mut line = |what: String, figure: String, mark: Option<&Mark<'_>>| {
                    let measured = mark.and_then(|mark| mark.row.measured());
                    let [points, source] = [points, source].map(|of| measured.map(of));
                    let row = mark.map(|mark| mark.tooltip.id.clone());
                    let cells = [Some(what), Some(machine.short().to_owned()), Some(figure)];
                    let cells = table::cells(cells.into_iter().chain([points, source, row]));
                    let contender = mark.map_or("", |mark| &mark.row.contender);
                    rows.0 += &table::row_of(contender, cells).0;
                };
                if !missing.is_empty() {
                    line((*name).to_owned(), format!("not measured: {missing}"), None);
                }
                for (index, mark) in marks.iter().enumerate() {
                    let setting = self.series.get(series + index).map(|of| format!(", {of}"));
                    let ratio = compared.as_ref().filter(|_| index + 1 == marks.len());
                    let ratio = ratio.map(|it| format!("; {} ({})", it.words, it.range));
                    let (setting, ratio) = (setting.unwrap_or_default(), ratio.unwrap_or_default());
                    let figure = format!("{}{ratio}", mark.tooltip.figure);
                    line(format!("{name}{setting}"), figure, Some(mark));
                }
            }
        }
        let heads = ["", "machine", "figure; ratio, link by link", "points", "source", "row"];
        let chapters: IndexSet<&str> = self.experiments().into_iter().map(|(it, _)| it).collect();
        html!(
            "<details class=\"measured-table\" open><summary>The figures behind this picture, machine by machine</summary>\n\
             {}{}<p class=\"measured-small\">Measure it on your machine: <code>cargo book measure {}</code></p>\n</details>",
            table::of_rows(heads.into_iter(), rows),
            each(machines, |(machine, _)| {
                let runs = self.runs(machine);
                html!("{}", runs.map(|runs| runs.in_words("", &self.on.book.config)))
            }),
            Vec::from_iter(chapters).join(" ")
        )
    }

    fn scene(&self, machine: &MachineData, all: &[Named<'_>], x: Axis, divisor: f64) -> Scene {
        let all = with_marks(all);
        let drawn = Drawn { is_lying: true, divisor };
        // The distances, in lines of text, between a name and its mark below, and between the
        // mark and the next name.
        let (below, next) = if self.has_heads { (1.0, 1.2) } else { (1.3, 1.9) };
        let line = |place: usize| place as f64 * (below + next);
        let last = line(all.len());
        let y = Axis { ends: (last - next / 2.0, -0.9), ..Axis::of_lines(Vec::new(), 0.0) };
        let of_series = |place: usize| Series {
            machine,
            drawn,
            name: self.series.get(place).map(|name| ((*name).to_owned(), true)),
            style: series_styles::of_group(place),
            marks: Vec::new(),
        };
        let mut all_series: Vec<Series<'_>> =
            (0..self.series.len().max(1)).map(of_series).collect();
        let (mut labels, mut layers, mut right) = (Vec::new(), Vec::new(), 16.0_f64);
        for (place, named) in all.into_iter().enumerate() {
            let Named { name, marks, series, compared, is_head, .. } = named;
            let (head, height) = (line(place), line(place) + below);
            let behind = match &marks[..] {
                // If the row has only one mark, its figure fits next to the name.
                [mark] => &format!(" <b>{}</b>", mark.words),
                _ => "",
            };
            let name = literal(name);
            let name = if *is_head { format!("<b>{name}</b>") } else { format!("{name}{behind}") };
            let at = At::Picture(0.0, rounded(y.place(head), 4));
            labels.push(Label { text: name, at, shift: 2.0, is_above: false });
            for (index, mark) in marks.iter().enumerate() {
                all_series[series + index].marks.push((height, mark.clone()));
            }
            let (Some(last), Some(Compared { from, words, .. })) = (marks.last(), compared) else {
                continue;
            };
            let ends_of = [*from, last.interval.estimate].map(|value| drawn.point(height, value));
            let shape = Shape::Line { style: LineStyle::Solid, marker: None };
            let series = &all_series[series + marks.len() - 1];
            let between = series.layer(Some(Role::Distances), ends_of.into(), shape);
            // The line is grey because it belongs to neither of the two marks that it connects.
            layers.push(Layer { colour: Colour::GREY, ..between });
            let high = drawn.value(ends(marks.iter().flat_map(values).chain([*from])).1);
            right = right.max(beyond(x.place(high), words));
            let (text, at) = (format!("<b>{words}</b>"), At::Axes(high, height));
            labels.push(Label { text, at, shift: BEHIND, is_above: false });
        }
        for series in all_series.iter().filter(|series| !series.marks.is_empty()) {
            let (symbol, outline) = (series.style.symbol, Some(1.0));
            layers.push(series.rows(Shape::Markers(Marker { symbol, size: 10.0, outline })));
        }
        let has_legend = !self.series.is_empty() && !self.has_heads;
        Scene {
            labels,
            legend: if has_legend { Legend::Always } else { Legend::Never },
            margin: [8.0, right, 8.0],
            divisor,
            ..Scene::of(x, y, layers, 1.05 * last + 4.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_ends_before_the_margin_does() {
        for factor in ["≈", "× 115", "× 1,234"] {
            for hundredth in 0..=100 {
                let place = f64::from(hundredth) / 100.0;
                let begins = place * PHONE + BEHIND;
                let ends = begins + LETTER * factor.chars().count() as f64;
                let margin = beyond(place, factor).max(0.0);
                assert!(ends <= PHONE + margin + 1e-9, "{factor} at {place}");
            }
        }
    }
}
