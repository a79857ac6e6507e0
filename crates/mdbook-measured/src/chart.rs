//! Charts: rows drawn with their intervals, and what stands behind them.

use std::collections::BTreeMap;

use measurement::{Interval, Row};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::block::{check_id, from_toml, line_of_key};
use crate::config::Config;
use crate::data::Data;
use crate::format::{self, Dimension, Scale};
use crate::html::{anchor, escape};
use crate::plot;
use crate::select::Selector;
use crate::text::Line as Text;

mod axis;
mod bars;
mod behind;
mod heat_map;
mod ladder;
mod lanes;
mod lines;
mod rows;
mod style;
mod words;

pub use rows::MOST_VISITS;
pub(crate) use rows::varied;
use rows::{Shown, distinct};
pub use style::{Line, Style, Symbol};

/// A fenced `chart` block: which rows, and how.
///
/// ```toml
/// id         = "spawn-cost.units"
/// title      = "A thread costs {{number units: std::thread, units=1000}}, a task {{number units: tokio multi-thread, units=1000}}"
/// kind       = "lines"
/// experiment = "units"
/// quantity   = "time per unit"
/// where      = { arm = "ours" }
/// x          = "units"
/// x-scale    = "log"
/// y-scale    = "log"
/// ```
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// Stable id: the chapter, a dot, a few words.
    pub id: String,
    /// What was found, in a sentence; directives in it take the figures from the data.
    pub title: String,
    /// How rows are drawn.
    pub kind: Kind,
    /// What its rows have in common, by a name of a `figures` block, in place of the next three or
    /// beneath them.
    pub context: Option<String>,
    /// The experiment, of another chapter as `chapter/experiment`.
    #[serde(default)]
    pub experiment: String,
    /// The quantity that is drawn.
    #[serde(default)]
    pub quantity: String,
    /// Parameters that are fixed, or of which only some values are drawn, in a list; `contender` is
    /// one here, too.
    #[serde(default, rename = "where")]
    pub fixed: BTreeMap<String, toml::Value>,
    /// The parameter over which it is drawn: for lines the horizontal axis, for bars what names each
    /// group of them, for a heat map its columns. `contender` for the contender.
    pub x: Option<String>,
    /// What names the rows of a heat map.
    pub y: Option<String>,
    /// What a colour stands for: a parameter, or the contender, which it is by default.
    pub series: Option<String>,
    /// The scale of `x`, for lines.
    pub x_scale: Option<ScaleKind>,
    /// The scale of the quantity with which a reader meets the chart. A button offers the other one.
    #[serde(default)]
    pub y_scale: ScaleKind,
    /// The rungs of a ladder, in their order.
    #[serde(default)]
    pub rungs: Vec<Rung>,
    /// What each rung of a ladder is compared with.
    pub against: Option<Against>,
    /// Which noise floor the steps of a ladder are held against, by default the widest.
    pub floor: Option<String>,
}

/// A rung of a ladder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// What it is called in the chart.
    pub name: String,
    /// Its row, as far as the chart does not name it: `std::thread, units=1000`.
    pub row: String,
}

/// What a rung of a ladder is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The rung above it: each is a step further.
    #[default]
    Above,
    /// The first rung, to which all others are alternatives.
    First,
}

/// Stands for the contender where a parameter may stand.
const CONTENDER: &str = "contender";

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A line a series, in the band of its intervals, over a parameter that is a number.
    Lines,
    /// A bar a row, from zero; on a logarithmic scale, which has no zero, a point.
    Bars,
    /// A dot a visit, and the median with its interval.
    Distribution,
    /// A field a row, by two parameters.
    HeatMap,
    /// A rung a row, and the factor by which each differs from the one above it, or from the first.
    Ladder,
}

impl Kind {
    /// Whether rows of two machines can stand in one picture.
    fn overlays(self) -> bool {
        !matches!(self, Kind::HeatMap | Kind::Ladder)
    }
}

/// A scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleKind {
    /// From zero.
    #[default]
    Linear,
    /// By powers of ten.
    Log,
}

impl ScaleKind {
    fn name(self) -> &'static str {
        match self {
            ScaleKind::Linear => "linear",
            ScaleKind::Log => "log",
        }
    }

    fn other(self) -> ScaleKind {
        match self {
            ScaleKind::Linear => ScaleKind::Log,
            ScaleKind::Log => ScaleKind::Linear,
        }
    }
}

impl Spec {
    /// The chapter whose rows it draws.
    fn chapter<'a>(&'a self, place: &Place<'a>) -> &'a str {
        self.experiment.split_once('/').map_or(place.chapter, |(chapter, _)| chapter)
    }

    fn experiment_name(&self) -> &str {
        self.experiment.split_once('/').map_or(&self.experiment, |(_, experiment)| experiment)
    }

    fn x(&self) -> &str {
        self.x.as_deref().unwrap_or(CONTENDER)
    }

    /// What a colour stands for; in a heat map, whose colours stand for values, what names its rows.
    fn series(&self) -> &str {
        let key = if self.kind == Kind::HeatMap { &self.y } else { &self.series };
        key.as_deref().unwrap_or(CONTENDER)
    }

    fn against(&self) -> Against {
        self.against.unwrap_or_default()
    }

    /// Takes from its context what it does not say itself: all but what `x`, `y` or `series` is.
    fn fill(&mut self, context: Selector) {
        let Selector { chapter, experiment, contender, parameters, quantity } = context;
        if self.experiment.is_empty() {
            self.experiment = match chapter {
                Some(chapter) => format!("{chapter}/{experiment}"),
                None => experiment,
            };
        }
        if self.quantity.is_empty() {
            self.quantity = quantity.unwrap_or_default();
        }
        let contender = contender.map(|contender| (CONTENDER.to_owned(), contender));
        for (name, value) in parameters.into_iter().chain(contender) {
            let drawn = [&self.x, &self.y, &self.series].into_iter().flatten();
            if !drawn.into_iter().any(|drawn| *drawn == name) {
                self.fixed.entry(name).or_insert(toml::Value::String(value));
            }
        }
    }

    /// Checks that the keys fit the kind.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let of = |key, is_given: bool, kinds: &[Kind], whose: &str| match is_given {
            true if !kinds.contains(&self.kind) => Err((key, format!("only {whose}"))),
            _ => Ok(()),
        };
        if self.experiment.is_empty() || self.quantity.is_empty() {
            let message =
                "an `experiment` and a `quantity` are missing, or a `context` that names them";
            return Err(("context", message.to_owned()));
        }
        use Kind::{Bars, Distribution, HeatMap, Ladder, Lines};
        of("x-scale", self.x_scale.is_some(), &[Lines], "lines have a scale of x")?;
        of("y", self.y.is_some(), &[HeatMap], "a heat map has a y: the others have a `series`")?;
        let with_series = [Lines, Bars, Distribution];
        let whose = "lines, bars and distributions have series";
        of("series", self.series.is_some(), &with_series, whose)?;
        of("rungs", !self.rungs.is_empty(), &[Ladder], "a ladder has rungs")?;
        of("against", self.against.is_some(), &[Ladder], "a ladder compares rungs")?;
        of("floor", self.floor.is_some(), &[Ladder], "a ladder is held against a noise floor")?;
        let all_but_ladder = [Lines, Bars, Distribution, HeatMap];
        let whose = "what is not a ladder has an x: name the rungs of one under `rungs`";
        of("x", self.x.is_some(), &all_but_ladder, whose)?;
        match self.kind {
            Ladder if self.rungs.len() < 2 => Err((
                "kind",
                "a ladder has two `rungs` at least: { name = \"...\", row = \"...\" }".to_owned(),
            )),
            Ladder => Ok(()),
            _ if self.x.is_none() => Err(("kind", "an `x` is missing".to_owned())),
            HeatMap if self.y.is_none() => Err(("kind", "a heat map needs a `y`".to_owned())),
            _ => Ok(()),
        }
    }
}

/// What a chart needs to know of the page that it is on.
pub(crate) struct Place<'a> {
    pub(crate) data: &'a Data,
    pub(crate) config: &'a Config,
    /// The chapter whose rows are meant where none is named.
    pub(crate) chapter: &'a str,
    /// Puts what the directives of a title ask for into it.
    pub(crate) inline: &'a dyn Fn(&str) -> Result<Text, String>,
    /// What a context stands for.
    pub(crate) selector: &'a dyn Fn(&str) -> Result<Selector, String>,
}

/// The id of a chart and the chart as HTML.
///
/// # Errors
///
/// In words, with the line within the block, from 1: what is no chart, or names no row.
pub(crate) fn render(block: &str, place: &Place<'_>) -> Result<(String, String), (usize, String)> {
    let mut spec: Spec = from_toml(block)?;
    let at = |(key, message): (&str, String)| (line_of_key(block, key), message);
    if let Some(context) = &spec.context {
        spec.fill((place.selector)(context).map_err(|message| at(("context", message)))?);
    }
    check_id(&spec.id).map_err(|message| at(("id", message)))?;
    spec.check().map_err(at)?;
    let title = (place.inline)(&spec.title).map_err(|message| at(("title", message)))?;
    let (shown, left_out) = rows::select(&spec, place).map_err(at)?;

    let all_rows = || shown.iter().flat_map(|shown| shown.rows.iter().copied());
    let names = distinct(all_rows(), spec.series());
    let dimension = Dimension::of_row(shown[0].rows[0]);
    let styles = match spec.kind.overlays() {
        true => style::styles(&spec, &names, place.data, place.config),
        false => Ok(Vec::new()),
    };
    let canvas = Canvas {
        spec: &spec,
        shown: &shown,
        styles: styles.map_err(|message| at(("series", message)))?,
        names,
        dimension,
        scale: common_scale(&shown, dimension),
    };
    let mut views = Vec::new();
    for (machine, selected) in canvas.selections() {
        for scale in canvas.scales() {
            let plot = canvas.draw(&selected, scale, place);
            views.push(plot::View { machine: machine.clone(), scale: scale.name(), plot });
        }
    }
    let label = words::alternative(&canvas, &escape(&title.plain()));
    let element = plot::element(&label, canvas.height(), views).map_err(|message| (1, message))?;
    let html = format!(
        "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n{element}\n{}{}\n</figure>",
        anchor("chart", &spec.id),
        title.html().into_string(),
        behind::note(&spec, &shown, &left_out),
        behind::details(&spec, &shown, place),
    );
    Ok((spec.id, html))
}

/// What all views of a chart have in common, so that what changes between two is what they show.
struct Canvas<'a> {
    spec: &'a Spec,
    /// The rows of every machine, the reference machine's first.
    shown: &'a [Shown<'a>],
    /// The series, and how each looks.
    names: Vec<String>,
    styles: Vec<Style>,
    dimension: Dimension,
    scale: Scale,
}

impl<'a> Canvas<'a> {
    /// Whose rows a reader can choose to see, what is shown at first in the first place.
    fn selections(&self) -> Vec<(String, Vec<&'a Shown<'a>>)> {
        let mut selections: Vec<(String, Vec<_>)> =
            self.shown.iter().map(|shown| (shown.label().to_owned(), vec![shown])).collect();
        let own = self.shown.iter().find(|shown| shown.machine.is_local());
        if let Some(own) = own.filter(|_| self.spec.kind.overlays()) {
            let ours = &self.shown[0];
            let name = format!("{} beside {}", own.label(), ours.label());
            selections.insert(0, (name, vec![ours, own]));
        }
        selections
    }

    /// The scales that the quantity can be shown on, the author's choice first.
    fn scales(&self) -> Vec<ScaleKind> {
        let first = self.spec.y_scale;
        let values = self.values();
        let has_logarithm = values.iter().all(|value| *value > 0.0);
        // From zero, what is so much smaller than the largest cannot be seen.
        let (least, most) =
            (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
        let is_seen = |(least, most): (f64, f64)| most <= 300.0 * least;
        let is_linear_seen = least.zip(most).is_some_and(is_seen);
        // The fields of a heat map carry their values, whatever the colours do.
        let has_other = match first {
            ScaleKind::Linear => has_logarithm,
            ScaleKind::Log => is_linear_seen,
        };
        match has_other && self.spec.kind != Kind::HeatMap {
            true => vec![first, first.other()],
            false => vec![first],
        }
    }

    fn draw(&self, selected: &[&Shown<'_>], scale: ScaleKind, place: &Place<'_>) -> Value {
        let mut plot = match self.spec.kind {
            Kind::Lines => lines::draw(self, selected, scale),
            Kind::Bars | Kind::Distribution => bars::draw(self, selected, scale),
            Kind::HeatMap => heat_map::draw(self, selected[0]),
            Kind::Ladder => ladder::draw(self, selected[0], scale),
        };
        let extra = &mut plot["extra"];
        extra["layout"]["font"] = json!({"size": 13});
        extra["layout"]["meta"]["chapter"] = json!(self.spec.chapter(place));
        extra["layout"]["meta"]["divisor"] = json!(self.scale.divisor);
        extra["config"] = json!({"displayModeBar": false, "responsive": true});
        plot
    }

    /// In lines of text.
    fn height(&self) -> f64 {
        match self.spec.kind {
            Kind::Lines => lines::HEIGHT,
            Kind::Bars | Kind::Distribution => bars::height(self),
            Kind::HeatMap => heat_map::height(self),
            Kind::Ladder => ladder::height(self),
        }
    }

    /// The rows of every machine.
    fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.shown.iter().flat_map(|shown| shown.rows.iter().copied())
    }

    /// Everything that has to have a place on the axis of the quantity.
    fn values(&self) -> Vec<f64> {
        let rows: Vec<&Row> = self.rows().collect();
        rows::drawn(self.spec.kind, &rows)
    }

    /// The visits of a row that are drawn one by one.
    fn visits(&self, row: &Row) -> Vec<f64> {
        let visits = rows::visits(self.spec.kind, row).into_iter();
        visits.map(|visit| self.drawn(visit)).collect()
    }

    /// A value as it is drawn, to seven digits.
    fn drawn(&self, value: f64) -> f64 {
        format::rounded(value / self.scale.divisor, 7)
    }

    /// Whiskers of these intervals, in plotly.js's words.
    fn whiskers(&self, intervals: &[Interval]) -> Value {
        let length = |length: fn(&Interval) -> f64| -> Vec<f64> {
            intervals.iter().map(|interval| self.drawn(length(interval))).collect()
        };
        json!({
            "type": "data",
            "symmetric": false,
            "array": length(|interval| interval.high - interval.estimate),
            "arrayminus": length(|interval| interval.estimate - interval.low),
            "thickness": 1.5,
            "width": 4,
        })
    }

    /// The axis of the quantity.
    fn axis(&self, scale: ScaleKind) -> axis::Axis {
        let title = &self.spec.quantity;
        axis::Axis::of_quantity(title, scale, &self.values(), self.dimension, self.scale)
    }
}

/// What is drawn of a row: its interval, or those of its two regimes, the larger first.
#[derive(Debug, Clone)]
struct Mark {
    /// The row's name.
    id: String,
    interval: Interval,
    /// The second regime, which gets a cross.
    other: Option<Interval>,
    /// The name and the figure in words, shown when pointed at.
    words: String,
}

impl Mark {
    fn of(row: &Row) -> Option<Mark> {
        let measured = row.measured()?;
        let (interval, regimes) = (measured.interval(), measured.regimes());
        let dimension = Dimension::of_row(row);
        let id = row.name();
        let words = format!(
            "{id}<br>{} ({})",
            format::measured(interval, regimes, dimension),
            format::measured_range(interval, regimes, dimension)
        );
        Some(match regimes {
            None => Mark { id, interval, other: None, words },
            Some([most, rest]) => {
                Mark { id, interval: most.interval, other: Some(rest.interval), words }
            }
        })
    }
}

/// What tells a row from others that differ in one parameter, or in their contenders.
pub(crate) fn name_of(row: &Row, by: &str) -> String {
    let value = rows::value_of(row, by).unwrap_or_default();
    match format::parameter(&value) {
        number if number != value || value.parse::<f64>().is_ok() => format!("{by} = {number}"),
        text => text,
    }
}

/// One scale for all values, by the largest.
fn common_scale(shown: &[Shown<'_>], dimension: Dimension) -> Scale {
    let rows = shown.iter().flat_map(|shown| &shown.rows);
    let estimates = rows.filter_map(|row| Some(row.measured()?.estimate.abs()));
    format::scale(estimates.fold(0.0, f64::max), dimension)
}

/// What stands behind the name of a series of the reader's own.
fn suffix(shown: &Shown<'_>) -> String {
    match shown.machine.is_local() {
        true => format!(", {}", shown.label()),
        false => String::new(),
    }
}

/// Where a legend stands that is not beside the series.
fn legend_above() -> Value {
    json!({"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"})
}
