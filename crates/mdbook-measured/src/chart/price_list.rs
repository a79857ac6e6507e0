//! A `costs` block: what things cost, and what to do, for whoever has two minutes. All prices in a picture, on one
//! logarithmic axis, group by group, and in a table. The name of each stands at its mark, on the side that has more
//! room, so that no margin is lost on a phone.

use std::iter;

use indexmap::IndexMap;
use measurement::{Interval, Row, Verdict};
use serde::Deserialize;

use super::axis::{self, Axis};
use super::mark::Mark;
use super::of_machines;
use super::scene::{At, Label, Layer, Marker, Point, Role, Scene, Shape};
use super::series_styles;
use super::style::Style;
use crate::block::block_kind::Shown;
use crate::block::slider::{self, Input};
use crate::claim::judged::JudgedClaim;
use crate::data::{LOCAL, MachineData};
use crate::figure::number_format::{self, Detail, Dimension, ends};
use crate::figure::rich_text::RichText;
use crate::figure::selector::{Missing, Selector};
use crate::figure::{Figure, Form, Subject};
use crate::html::{Html, each, html};
use crate::page::directive::inline;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::page::title::title;
use crate::table::Table;
use crate::toml_block::{At as _, BlockError, from_toml, wrong};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsBlock {
    id: String,
    /// What the picture shows, in a sentence.
    title: String,
    /// What each is the price of.
    price: IndexMap<String, PriceEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PriceEntry {
    /// Whose price it is a part of: prices of one group stand together.
    group: String,
    /// What is measured, as in `number`.
    cost: String,
    to_do: String,
    /// The id of a claim that it rests on.
    claim: String,
}

/// The same, read on its page.
struct Cost<'a> {
    what: &'a str,
    selector: Selector,
    subject: Subject,
    /// The chapter of its rows, and its page.
    chapter: String,
    href: String,
    cost: RichText,
    /// In nanoseconds, unless it was not measured.
    estimate: Option<f64>,
    to_do: RichText,
    claim: &'a JudgedClaim,
}

/// Costs by their groups.
type Groups<'a> = IndexMap<&'a str, Vec<Cost<'a>>>;

/// The figure and the tables that a block describes.
pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let CostsBlock { id, title: words, price: entries } = from_toml(body)?;
    if entries.is_empty() {
        wrong!(1, "nothing costs anything: write [price.\"Spawn a thread\"]");
    }
    let title = title(&id, &words, on)?;
    let mut groups = Groups::new();
    for (what, entry) in &entries {
        let cost = cost(what, entry, on).at(("price", what))?;
        groups.entry(&entry.group).or_default().push(cost);
    }
    for costs in groups.values_mut() {
        // What was not measured stands last.
        let place = |cost: &Cost<'_>| cost.estimate.unwrap_or(f64::INFINITY);
        costs.sort_by(|one, other| place(one).total_cmp(&place(other)));
    }
    let costs = || groups.values().flatten();
    let mut machines: Vec<&MachineData> = on.context.data.machines.iter().collect();
    machines.retain(|machine| costs().any(|cost| cost.mark(machine).is_some()));
    let x = axis(&machines, costs());
    let scenes = machines.iter().map(|machine| (*machine, scene(machine, &groups, x.clone())));
    let scenes = scenes.collect();
    let note = on.stale(costs().map(|cost| &cost.subject));
    let in_words = |machine: &MachineData| alternative(machine, &groups);
    let figures = figures(&machines, costs()).html(None);
    let mut shown = of_machines::figure(id, &title, scenes, in_words, &note, &figures)?;
    let undecided = costs().filter(|cost| !cost.is_decided()).count();
    let more = (undecided > 0).then(|| {
        html!(
            "<details class=\"measured-table\" open><summary>{} more, where it isn't settled how much the advice saves\
             </summary>\n{}</details>",
            undecided,
            table(&groups, false, on)
        )
    });
    let inputs = slider::inputs("share", &[REQUEST]);
    shown.html += &html!("{}\n\n{}\n{}\n\n", inputs, table(&groups, true, on), more).0;
    Ok(shown)
}

fn cost<'a>(what: &'a str, entry: &'a PriceEntry, on: &OnPage<'a>) -> Result<Cost<'a>, String> {
    let subject = on.page.names.value(&entry.cost)?;
    let Some((_, row)) = subject.row().filter(|_| subject.form == Form::Value) else {
        return Err(format!("{:?} is no row's time, which a price is", entry.cost));
    };
    let found = Missing::or_none(on.find(&subject))?.map(|figure| figure.mostly());
    if found.is_some_and(|(_, dimension)| dimension != Dimension::TIME) {
        return Err(format!("{:?} is no time, which a price is", entry.cost));
    }
    let chapter = on.chapter_of(&subject).to_owned();
    Ok(Cost {
        what,
        selector: row.clone(),
        href: format!("{}{chapter}.html", on.to_root),
        cost: on.figure(&subject, Detail::Full)?,
        to_do: inline(&entry.to_do, on, Detail::Brief)?,
        estimate: found.map(|(interval, _)| interval.estimate),
        claim: on.asked(&entry.claim)?,
        chapter,
        subject,
    })
}

impl Cost<'_> {
    /// Whether the claim says something on the machine whose figure is told.
    fn is_decided(&self) -> bool {
        let found = self.claim.on_reference();
        found.is_some_and(|it| matches!(it.verdict, Verdict::Holds | Verdict::Fails))
    }

    /// On how many machines the claim stands as on the reference, of those that judged it.
    fn agreeing(&self) -> (usize, usize) {
        let reference = self.claim.on_reference().map(|found| &found.verdict);
        let judged = self.claim.judgements.iter();
        let judged = judged.filter(|it| it.judges() && !it.is_stale && it.machine != LOCAL);
        let agree: Vec<bool> = judged.map(|it| reference == Some(&it.verdict)).collect();
        (agree.iter().filter(|agrees| **agrees).count(), agree.len())
    }

    /// The machine whose figure is told, if it isn't the one that the picture shows at first.
    fn is_of_another<'b>(&self, on: &OnPage<'b>) -> Option<&'b str> {
        let data = on.context.data;
        let reference = data.reference(&self.chapter, self.subject.experiment());
        let is_first = data.machines.first().is_some_and(|first| first.name() == reference);
        data.machine(reference).filter(|_| !is_first).map(MachineData::short)
    }

    /// Its row on a machine.
    fn row<'b>(&self, machine: &'b MachineData) -> Option<&'b Row> {
        let data = machine.chapters.get(&self.chapter)?;
        data.evidence.rows.iter().find(|row| self.selector.matches(row))
    }

    /// The name of a row as those of another chapter are asked for.
    fn name(&self, row: &Row) -> String {
        format!("{}/{}", self.chapter, row.name())
    }

    /// What is drawn of it on a machine.
    fn mark<'b>(&self, machine: &'b MachineData) -> Option<Mark<'b>> {
        let mut mark = Mark::of(self.row(machine)?)?;
        mark.tooltip.id = self.name(mark.row);
        Some(mark)
    }
}

/// The figure at a mark: of two modes that of the larger, since a cross marks the other.
fn figure(mark: &Mark<'_>) -> String {
    number_format::estimate(mark.interval, Dimension::TIME)
}

/// How many lines set groups apart.
const GAP: f64 = 0.4;

/// All prices of all machines have a place on it, with a tick at each power of ten.
fn axis<'a>(machines: &[&MachineData], costs: impl Iterator<Item = &'a Cost<'a>>) -> Axis {
    let marks = costs.flat_map(|cost| machines.iter().filter_map(|machine| cost.mark(machine)));
    let intervals = marks.flat_map(|mark| mark.intervals());
    let (low, high) = ends(axis::above_zero(intervals));
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

fn scene(machine: &MachineData, groups: &Groups<'_>, x: Axis) -> Scene {
    let (mut head, mut last) = (0.0, 0.0);
    for costs in groups.values() {
        last = head + costs.len() as f64;
        head = last + 1.0 + GAP;
    }
    let y = Axis { ends: (last + 0.6, -0.6), ..Axis::of_lines(iter::empty()) };
    let (mut layers, mut labels) = (Vec::new(), Vec::new());
    head = 0.0;
    for (place, (name, costs)) in groups.iter().enumerate() {
        let at_left = |text, line| {
            let at = At::Picture(0.0, y.place(line));
            Label { text, at, shift: 0.0, is_above: false }
        };
        labels.push(at_left(format!("<b>{name}</b>"), head));
        let (mut points, mut crosses) = (Vec::new(), Vec::new());
        for (below, cost) in costs.iter().enumerate() {
            let line = head + (below + 1) as f64;
            let Some(mark) = cost.mark(machine) else {
                let text = format!("<i>{}: not measured here</i>", cost.what);
                labels.push(at_left(text, line));
                continue;
            };
            labels.push(label(cost, &mark, line, &x));
            let point = |of: Interval| Point::of(of, line, mark.tooltip.clone());
            crosses.extend(mark.other.map(point));
            points.push(point(mark.interval));
        }
        let Style { colour, symbol, .. } = series_styles::of_group(place);
        let both = [(None, Some(symbol), points), (Some(Role::SecondMode), None, crosses)];
        for (role, symbol, points) in both.into_iter().filter(|(.., points)| !points.is_empty()) {
            let shape = Shape::Markers(Marker { symbol, size: 10.0, outline: Some(1.0) });
            layers.push(Layer::of(machine, role, colour, points, shape));
        }
        head = head + costs.len() as f64 + 1.0 + GAP;
    }
    Scene { labels, ..Scene::of(x, y, layers, 1.8 * (last + 1.2) + 2.5) }
}

/// How wide a letter is on a phone, as a share of the picture, and how much its margins and a mark take.
const LETTER: f64 = 0.019;
const BESIDE: f64 = 0.03;

/// What is paid for and the figure, beside the mark and its interval: where that leaves no room, above it.
fn label(cost: &Cost<'_>, mark: &Mark<'_>, line: f64, x: &Axis) -> Label {
    let (low, high) = ends(mark.intervals().flat_map(|of| [of.low, of.high]));
    let (what, figure) = (format!("<a href=\"{}\">{}</a>", cost.href, cost.what), figure(mark));
    let width = LETTER * (cost.what.chars().count() + figure.chars().count() + 1) as f64;
    // The margin on the left is the wider one.
    let fits_left = width < x.place(low) + BESIDE;
    let fits_right = width + BESIDE < 1.0 - x.place(high);
    let is_right = x.place(mark.interval.estimate) < 0.5;
    let (is_right, is_above) = match (fits_left, fits_right) {
        (false, false) => (is_right, true),
        (left, right) => (if is_right { right } else { !left }, false),
    };
    let end = match (is_above, is_right) {
        (true, _) => mark.interval.estimate,
        (_, true) => high,
        _ => low,
    };
    let (text, shift) = if is_right {
        (format!("<b>{figure}</b> {what}"), 9.0)
    } else {
        (format!("{what} <b>{figure}</b>"), -9.0)
    };
    Label { text, at: At::Axes(end.max(x.ends.0), line), shift, is_above }
}

/// The rows that are drawn, as a table.
fn figures<'a>(machines: &[&MachineData], costs: impl Iterator<Item = &'a Cost<'a>>) -> Table {
    let mut rows = Vec::new();
    for cost in costs {
        for machine in machines {
            let Some(row) = cost.row(machine) else { continue };
            let [figure, range] = match Figure::of_row(row) {
                Ok(found) => [found.in_words(Detail::Full), found.range()],
                Err(_) => ["not measured".to_owned(), String::new()],
            };
            let [what, contender, machine] =
                [cost.what, &row.contender, machine.short()].map(str::to_owned);
            rows.push(vec![what, contender, machine, figure, range, cost.name(row)]);
        }
    }
    Table { heads: &["what", "contender", "machine", "cost", "95 % interval", "row"], rows }
}

/// The picture in words.
fn alternative(machine: &MachineData, groups: &Groups<'_>) -> String {
    let mut text = format!(" Points on a logarithmic axis, on {}.", machine.for_people());
    for (name, costs) in groups {
        let cost = |cost: &Cost<'_>| {
            let figure = cost.mark(machine).map_or("not measured".to_owned(), |it| figure(&it));
            format!("{} {figure}", cost.what)
        };
        let costs: Vec<String> = costs.iter().map(cost).collect();
        text += &format!(" {name}: {}.", costs.join(", "));
    }
    text
}

/// What a reader holds the prices against; `measured.js` tells each as a share of it.
const REQUEST: Input = Input {
    name: "request",
    label: "My request takes",
    unit: "time",
    range: [2.0, 8.0, 0.05, 5.0],
};

/// What stands over the columns.
const HEADS: [&str; 5] =
    ["What", "Costs", "Matters in a request under", "What to do", "Machines that agree"];

/// The prices whose claims are decided, or the others, group by group.
fn table(groups: &Groups<'_>, decided: bool, on: &OnPage<'_>) -> Html {
    let heads = each(HEADS, |head| html!("<th scope=\"col\">{}</th>", head));
    let bodies = each(groups, |(name, costs)| {
        let costs: Vec<_> = costs.iter().filter(|cost| cost.is_decided() == decided).collect();
        let rows = each(&costs, |cost| row(cost, on));
        let body = html!(
            "<tbody>\n<tr><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n{}</tbody>",
            HEADS.len(),
            name,
            rows
        );
        if costs.is_empty() { Html::default() } else { body }
    });
    html!(
        "<div class=\"table-wrapper\"><table class=\"measured-costs\"><thead><tr>{}</tr></thead>{}</table></div>",
        heads,
        bodies
    )
}

fn row(cost: &Cost<'_>, on: &OnPage<'_>) -> Html {
    let other = cost.is_of_another(on).map(|other| html!(" ({})", other));
    let claim = &cost.claim.claim;
    let agreeing = match cost.agreeing() {
        _ if !cost.is_decided() => "open".to_owned(),
        (_, 1) => "only one judged".to_owned(),
        (agreeing, all) => format!("{agreeing} of {all}"),
    };
    let words = on.exception(cost.claim).map(|words| html!(": {}", words));
    let (href, sentence) = (on.href(claim), &claim.sentence);
    let cells = [
        html!("{}{}", cost.cost, other),
        html!("{}", cost.estimate.map(matters)),
        cost.to_do.html(),
        html!("<a href=\"{}\" title=\"{}\">{}</a>{}", href, sentence, agreeing, words),
    ];
    let cells = each(HEADS[1..].iter().zip(cells), |(head, cell)| {
        html!("<td data-head=\"{}\">{}</td>", head, cell)
    });
    html!(
        "<tr{}><th scope=\"row\"><a href=\"{}\">{}</a></th>{}</tr>\n",
        cost.estimate.map(|estimate| html!(" data-cost=\"{}\"", estimate)),
        cost.href,
        cost.what,
        cells
    )
}

/// From what share of a request on a cost matters.
const MATTERS: f64 = 0.1;

/// The request of which a cost is that share, to two digits: in microseconds, whatever it is, so that one
/// column can be compared.
fn matters(estimate: f64) -> String {
    let microseconds = number_format::rounded(estimate / MATTERS / 1e3, 2);
    format!("{}\u{a0}µs", number_format::thousands(&microseconds.to_string()))
}
