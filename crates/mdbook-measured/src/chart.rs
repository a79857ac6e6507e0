//! Charts: rows drawn with their intervals, and the same rows as a table under them.

use std::collections::BTreeMap;

use measurement::{Interval, Outcome, Parameter, Row, Unit};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::claim::{check_id, from_toml, line_of_key, missing_run};
use crate::config::Config;
use crate::data::{ChapterRun, Data, MachineData, label};
use crate::format::{self, Scale};
use crate::html::{anchor, escape};
use crate::plot;
use crate::select::{Selector, nearest};

/// A fenced `chart` block: which rows, and how.
///
/// ```toml
/// id         = "spawn-cost.units"
/// title      = "What a unit costs"
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
    /// What it shows.
    pub title: String,
    /// How rows are drawn.
    pub kind: Kind,
    /// The experiment, of another chapter as `chapter/experiment`.
    pub experiment: String,
    /// The quantity, on the vertical axis.
    pub quantity: String,
    /// Parameters that are fixed.
    #[serde(default, rename = "where")]
    pub fixed: BTreeMap<String, toml::Value>,
    /// The parameter on the horizontal axis.
    pub x: String,
    /// The horizontal scale.
    #[serde(default)]
    pub x_scale: ScaleKind,
    /// The vertical scale.
    #[serde(default)]
    pub y_scale: ScaleKind,
}

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A line a contender, over a parameter that is a number.
    Lines,
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

/// Colours that people of any colour vision tell apart (Okabe and Ito, 2008), for contenders that
/// book.toml gives none.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// What a chart needs to know of the page that it is on.
pub(crate) struct Place<'a> {
    pub(crate) data: &'a Data,
    pub(crate) config: &'a Config,
    /// The chapter whose rows are meant where none is named.
    pub(crate) chapter: &'a str,
    pub(crate) to_root: &'a str,
}

/// The id of a chart and the chart as HTML.
///
/// # Errors
///
/// In words, with the line within the block, from 1: what is no chart, or names no row.
pub(crate) fn render(block: &str, place: &Place<'_>) -> Result<(String, String), (usize, String)> {
    let spec: Spec = from_toml(block)?;
    let at = |key: &str| line_of_key(block, key);
    check_id(&spec.id).map_err(|message| (at("id"), message))?;
    let Kind::Lines = spec.kind;
    let (chapter, experiment) = match spec.experiment.split_once('/') {
        Some((chapter, experiment)) => (chapter, experiment),
        None => (place.chapter, spec.experiment.as_str()),
    };
    let selector = Selector {
        chapter: None,
        experiment: experiment.to_owned(),
        contender: None,
        parameters: spec
            .fixed
            .iter()
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or(value.to_string(), str::to_owned))
            })
            .collect(),
        quantity: Some(spec.quantity.clone()),
    };

    let reference = &place.config.reference;
    if place.data.run(reference, chapter).is_none() {
        return Err((at("experiment"), missing_run(reference, chapter)));
    }
    let mut shown = Vec::new();
    for machine in &place.data.machines {
        // Machines are compared in chapters about that; here it is ours, and the reader's own.
        let wanted = machine.name() == reference || machine.is_local();
        let Some(run) = machine.chapters.get(chapter).filter(|_| wanted) else { continue };
        match selector.all(&run.run) {
            Ok(rows) => {
                shown.push(Shown { machine, run, rows });
                // An old run of the reader's own may have other parameters: then it is not drawn.
                if machine.is_local() && check_parameters(&spec, &shown).is_err() {
                    shown.pop();
                }
            }
            Err(message) if machine.name() == reference => return Err((at("experiment"), message)),
            Err(_) => {}
        }
    }
    check_parameters(&spec, &shown).map_err(|(key, message)| (at(key), message))?;

    let unit = shown[0].rows[0].unit;
    let scale = common_scale(&shown, unit);
    let id = anchor("chart", &spec.id);
    let alternative = alternative(&spec, &shown, unit);
    let drawn = draw(&spec, &shown, scale, place.config);
    let element = plot::element(&id, &alternative, place.to_root, drawn).map_err(|m| (1, m))?;
    let html = format!(
        "<figure class=\"measured-chart\">\n<figcaption>{}</figcaption>\n{element}\n{}\n{}\n</figure>",
        escape(&spec.title),
        table(&spec, &shown),
        provenance(&shown, chapter),
    );
    Ok((spec.id, html))
}

/// The rows of one machine.
struct Shown<'a> {
    machine: &'a MachineData,
    run: &'a ChapterRun,
    rows: Vec<&'a Row>,
}

impl Shown<'_> {
    /// What the machine is called in a legend.
    fn label(&self) -> &str {
        label(self.machine.name())
    }
}

fn check_parameters(spec: &Spec, shown: &[Shown<'_>]) -> Result<(), (&'static str, String)> {
    let rows = || shown.iter().flat_map(|shown| &shown.rows);
    for row in rows() {
        match row.parameters.get(&spec.x).map(Parameter::as_f64) {
            Some(Some(_)) => {}
            Some(None) => {
                let value = &row.parameters.0[&spec.x];
                return Err(("x", format!("{}={value} is no number, which lines need", spec.x)));
            }
            None => {
                let known: Vec<&String> = row.parameters.0.keys().collect();
                return Err((
                    "x",
                    format!(
                        "{:?} has no parameter {:?}{}",
                        row.name(),
                        spec.x,
                        nearest(&spec.x, &known)
                    ),
                ));
            }
        }
    }
    for (name, values) in varied(rows().copied()) {
        let explained = *name == spec.x || spec.fixed.contains_key(name);
        if !explained && values.len() > 1 {
            let values = values.join(", ");
            return Err((
                "experiment",
                format!("the rows also differ in {name} ({values}): fix it under `where`"),
            ));
        }
    }
    let no_place =
        |what: &str| format!("{what} reaches zero, for which a logarithmic scale has no place");
    let above_zero = |row: &Row| row.parameters.get(&spec.x)?.as_f64().map(|x| x > 0.0);
    if spec.x_scale == ScaleKind::Log && !rows().all(|row| above_zero(row) == Some(true)) {
        return Err(("x-scale", no_place(&spec.x)));
    }
    if spec.y_scale == ScaleKind::Log
        && !rows().filter_map(|row| row.measured()).all(|m| m.low > 0.0)
    {
        return Err(("y-scale", no_place(&spec.quantity)));
    }
    if rows().all(|row| row.measured().is_none()) {
        return Err(("experiment", "every row failed, so there is nothing to draw".to_owned()));
    }
    Ok(())
}

/// Each parameter of these rows with its values.
fn varied<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeMap<&'a String, Vec<String>> {
    let mut varied: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    for row in rows {
        for (name, value) in &row.parameters.0 {
            let (values, value) = (varied.entry(name).or_default(), value.to_string());
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    varied
}

/// One scale for all values, by the middle one of them.
fn common_scale(shown: &[Shown<'_>], unit: Unit) -> Scale {
    let rows = shown.iter().flat_map(|shown| &shown.rows);
    let mut values: Vec<f64> = rows.filter_map(|row| Some(row.measured()?.estimate)).collect();
    values.sort_by(f64::total_cmp);
    format::scale(values.get(values.len() / 2).copied().unwrap_or(1.0), unit)
}

/// The contenders in the order of the rows.
fn contenders<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    let mut contenders: Vec<&str> = Vec::new();
    for row in rows {
        if !contenders.contains(&row.contender.as_str()) {
            contenders.push(&row.contender);
        }
    }
    contenders
}

/// One mark of a chart.
struct Mark {
    x: f64,
    interval: Interval,
    /// The figure in words, shown when pointed at.
    words: String,
}

/// Marks of one contender on one machine, drawn alike.
struct Series {
    name: String,
    colour: String,
    /// `solid`, or `dash` for the reader's own.
    dash: &'static str,
    symbol: &'static str,
    /// Marks of a second regime stand alone, without a line or a place in the legend.
    is_second_regime: bool,
    marks: Vec<Mark>,
}

/// All series. Where visits fall into two regimes, the line goes through the larger one, and the
/// other has marks of its own.
fn series(spec: &Spec, shown: &[Shown<'_>], config: &Config) -> Vec<Series> {
    let mut all = Vec::new();
    for (machine_index, shown) in shown.iter().enumerate() {
        let (dash, symbol) = [("solid", "circle"), ("dash", "diamond-open")][machine_index.min(1)];
        for (index, contender) in contenders(&shown.rows).into_iter().enumerate() {
            let (mut marks, mut second) = (Vec::new(), Vec::new());
            for row in shown.rows.iter().filter(|row| row.contender == contender) {
                let x = row.parameters.get(&spec.x).and_then(Parameter::as_f64);
                let (Some(x), Some(measured)) = (x, row.measured()) else { continue };
                let (interval, regimes) = (measured.interval(), measured.regimes());
                let words = format::measured(interval, regimes, row.unit);
                match regimes {
                    None => {
                        let words = format!("{words} ({})", format::range(interval, row.unit));
                        marks.push(Mark { x, interval, words });
                    }
                    Some([most, rest]) => {
                        marks.push(Mark { x, interval: most.interval, words: words.clone() });
                        second.push(Mark { x, interval: rest.interval, words });
                    }
                }
            }
            let name = match machine_index {
                0 => contender.to_owned(),
                _ => format!("{contender}, {}", shown.label()),
            };
            let colour = config.colours.get(contender);
            let colour = colour.map_or(COLOURS[index % COLOURS.len()], String::as_str).to_owned();
            for (marks, is_second_regime) in [(marks, false), (second, true)] {
                let (name, colour) = (name.clone(), colour.clone());
                let mut series = Series { name, colour, dash, symbol, is_second_regime, marks };
                series.marks.sort_by(|a, b| a.x.total_cmp(&b.x));
                all.extend((!series.marks.is_empty()).then_some(series));
            }
        }
    }
    all
}

impl Series {
    /// The trace in mdbook-plotly's words, and what it has no words for in plotly.js's.
    fn trace(&self, spec: &Spec, scale: Scale) -> (Value, Value) {
        let column = |value: fn(&Interval) -> f64| -> Vec<f64> {
            self.marks.iter().map(|mark| value(&mark.interval) / scale.divisor).collect()
        };
        let trace = json!({
            "type": "scatter",
            "mode": if self.is_second_regime { "markers" } else { "linesmarkers" },
            "name": self.name,
            "show_legend": !self.is_second_regime,
            "legend_group": self.name,
            "x": self.marks.iter().map(|mark| mark.x).collect::<Vec<_>>(),
            "y": column(|interval| interval.estimate),
        });
        let symbol = if self.is_second_regime { "x-open" } else { self.symbol };
        let extra = json!({
            "line": {"color": self.colour, "dash": self.dash, "width": 2},
            "marker": {"color": self.colour, "symbol": symbol, "size": 8},
            "error_y": {
                "type": "data",
                "symmetric": false,
                "array": column(|interval| interval.high - interval.estimate),
                "arrayminus": column(|interval| interval.estimate - interval.low),
                "thickness": 1.5,
                "width": 5,
            },
            "customdata": self.marks.iter().map(|mark| mark.words.as_str()).collect::<Vec<_>>(),
            "hovertemplate":
                format!("{}<br>{}=%{{x:,}}<br>%{{customdata}}<extra></extra>", self.name, spec.x),
        });
        (trace, extra)
    }
}

fn draw(spec: &Spec, shown: &[Shown<'_>], scale: Scale, config: &Config) -> Value {
    let series = series(spec, shown, config);
    let (traces, extras): (Vec<Value>, Vec<Value>) =
        series.iter().map(|series| series.trace(spec, scale)).unzip();
    let marks = || series.iter().flat_map(|series| &series.marks);
    let x_values = marks().map(|mark| mark.x).collect();
    let y_values = marks().flat_map(|mark| [mark.interval.low, mark.interval.high]).collect();
    let unit = shown[0].rows[0].unit;
    let (x_axis, x_extra) = match spec.x_scale {
        ScaleKind::Linear => (json!({"title": spec.x}), json!({"rangemode": "tozero"})),
        ScaleKind::Log => log_axis(&spec.x, x_values, Scale { divisor: 1.0, name: "" }, Unit::One),
    };
    let (y_axis, y_extra) = match spec.y_scale {
        ScaleKind::Linear => {
            let title = match scale.name {
                "" => spec.quantity.clone(),
                name => format!("{}, {name}", spec.quantity),
            };
            (json!({"title": title}), json!({"rangemode": "tozero"}))
        }
        ScaleKind::Log => log_axis(&spec.quantity, y_values, scale, unit),
    };
    json!({
        "data": traces,
        "layout": {"xaxis": x_axis, "yaxis": y_axis, "show_legend": true},
        "extra": {
            "data": extras,
            "layout": {
                "xaxis": x_extra,
                "yaxis": y_extra,
                "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
                "margin": {"l": 64, "r": 16, "t": 8, "b": 48},
            },
            "config": {"displayModeBar": false, "responsive": true},
        },
    })
}

/// A logarithmic axis for these values: labels at powers of ten, each with the unit that suits it.
fn log_axis(title: &str, values: Vec<f64>, scale: Scale, unit: Unit) -> (Value, Value) {
    let exponents: Vec<f64> = values.iter().map(|value| value.log10()).collect();
    let low = exponents.iter().copied().fold(f64::INFINITY, f64::min) - 0.15;
    let high = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 0.15;
    let decades: Vec<i32> = (low.floor() as i32..=high.ceil() as i32).collect();
    let ticks: Vec<f64> =
        decades.iter().map(|&decade| 10f64.powi(decade) / scale.divisor).collect();
    let labels: Vec<String> =
        decades.iter().map(|&decade| format::value(10f64.powi(decade), unit)).collect();
    let shift = scale.divisor.log10();
    let extra =
        json!({"tickvals": ticks, "ticktext": labels, "range": [low - shift, high - shift]});
    (json!({"title": title, "type": "log"}), extra)
}

/// The chart in words, made from the rows.
fn alternative(spec: &Spec, shown: &[Shown<'_>], unit: Unit) -> String {
    let mut text = format!("{}. Lines of {} over {}.", spec.title, spec.quantity, spec.x);
    for shown in shown {
        for contender in contenders(&shown.rows) {
            let rows = shown.rows.iter().filter(|row| row.contender == contender);
            let values: Vec<String> = rows
                .filter_map(|row| {
                    let x = row.parameters.get(&spec.x)?;
                    let measured = row.measured()?;
                    let value = format::measured(measured.interval(), measured.regimes(), unit);
                    Some(format!("{value} at {}", format::thousands(&x.to_string())))
                })
                .collect();
            text += &format!(" {contender} on {}: {}.", shown.label(), values.join(", "));
        }
    }
    text
}

/// The rows as a table. It stands open where no script runs, and measured.js folds it.
fn table(spec: &Spec, shown: &[Shown<'_>]) -> String {
    let several = shown.len() > 1;
    let machine_head = if several { "<th>machine</th>" } else { "" };
    let mut html = format!(
        "<details class=\"measured-table\" open><summary>The figures behind this chart</summary>\n\
         <div class=\"table-wrapper\"><table><thead><tr><th>contender</th>{machine_head}<th>{}</th><th>{}</th>\
         <th>95 % interval</th><th>visits</th><th>source</th></tr></thead><tbody>\n",
        escape(&spec.x),
        escape(&spec.quantity),
    );
    for shown in shown {
        for row in &shown.rows {
            let x = row.parameters.get(&spec.x).map(|x| format::thousands(&x.to_string()));
            let machine =
                if several { format!("<td>{}</td>", escape(shown.label())) } else { String::new() };
            let contender = escape(&row.contender);
            html += &format!("<tr><td>{contender}</td>{machine}<td>{}</td>", x.unwrap_or_default());
            html += &match &row.outcome {
                Outcome::Measured(m) => format!(
                    "<td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                    escape(&format::measured(m.interval(), m.regimes(), row.unit)),
                    escape(&format::measured_range(m.interval(), m.regimes(), row.unit)),
                    m.points.len(),
                    escape(&format!("{:?}", m.source).to_lowercase()),
                ),
                Outcome::Failed(reason) => {
                    format!("<td colspan=\"4\">not measured: {}</td>", escape(reason))
                }
            };
            html += "</tr>\n";
        }
    }
    html + "</tbody></table></div></details>"
}

/// Where the rows come from, and how far they can be trusted.
fn provenance(shown: &[Shown<'_>], chapter: &str) -> String {
    let mut html = String::new();
    let measured = || shown.iter().flat_map(|shown| &shown.rows).filter_map(|row| row.measured());
    if measured().any(|measured| measured.regimes().is_some()) {
        html += "<p class=\"measured-small\">A cross marks the second of two regimes: a part of the \
                 visits that took another time, with nothing in between.</p>\n";
    }
    for shown in shown {
        let header = &shown.run.run.header;
        let day = header.run.split('T').next().unwrap_or_default();
        let versions = header.crates.iter().map(|(name, version)| format!("{name} {version}"));
        let versions: Vec<String> = versions.chain([format!("rustc {}", header.rustc)]).collect();
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let floors =
            header.floor.iter().map(|(class, share)| format!("{} ({class})", percent(*share)));
        let floors: Vec<String> = floors.collect();
        let steal = header.steal.map(|steal| format!(", the hypervisor kept {}", percent(steal)));
        html += &format!(
            "<p class=\"measured-small\">{}: {}. Measured on {day}, {} profile, with {}. \
             Identical contenders differed by up to {}. \
             Others used {} of the machine's CPU time meanwhile{}.",
            escape(if shown.machine.is_local() { "Yours" } else { shown.machine.name() }),
            escape(&shown.machine.machine.in_words()),
            header.profile,
            escape(&versions.join(", ")),
            escape(&floors.join(", ")),
            percent(header.load),
            steal.unwrap_or_default(),
        );
        if header.is_disturbed() {
            html += " <strong>That is much: measure again when the machine is idle.</strong>";
        }
        for stale in &shown.run.stale {
            html += &format!(" <strong>Stale: {}.</strong>", escape(&stale.to_string()));
        }
        html += "</p>\n";
    }
    html + &format!(
        "<p class=\"measured-small\">Measure it on your machine: \
         <code>cargo book measure {}</code></p>",
        escape(chapter)
    )
}
