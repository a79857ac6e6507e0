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

mod bars;
mod lines;

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
    /// The quantity that is drawn.
    pub quantity: String,
    /// Parameters that are fixed; `contender` is one here, too.
    #[serde(default, rename = "where")]
    pub fixed: BTreeMap<String, toml::Value>,
    /// The parameter over which it is drawn: for lines the horizontal axis, for bars what names each
    /// group of them. `contender` for the contender.
    pub x: String,
    /// What a colour stands for: the contender, or a parameter.
    #[serde(default = "contender")]
    pub series: String,
    /// The scale of `x`, for lines.
    #[serde(default)]
    pub x_scale: ScaleKind,
    /// The scale of the quantity.
    #[serde(default)]
    pub y_scale: ScaleKind,
}

/// Stands for the contender where a parameter may stand.
const CONTENDER: &str = "contender";

fn contender() -> String {
    CONTENDER.to_owned()
}

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A line a series, over a parameter that is a number.
    Lines,
    /// A bar a row, from zero; on a logarithmic scale, which has no zero, a point.
    Bars,
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
    let (chapter, experiment) = match spec.experiment.split_once('/') {
        Some((chapter, experiment)) => (chapter, experiment),
        None => (place.chapter, spec.experiment.as_str()),
    };
    let fixed = spec.fixed.iter().map(|(name, value)| {
        (name.clone(), value.as_str().map_or(value.to_string(), str::to_owned))
    });
    let (contenders, parameters): (Vec<_>, Vec<_>) = fixed.partition(|(name, _)| name == CONTENDER);
    let selector = Selector {
        chapter: None,
        experiment: experiment.to_owned(),
        contender: contenders.into_iter().next().map(|(_, contender)| contender),
        parameters,
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
    let (drawn, height) = match spec.kind {
        Kind::Lines => (lines::draw(&spec, &shown, scale, place.config), 26.0),
        Kind::Bars => (bars::draw(&spec, &shown, scale, place.config), bars::height(&spec, &shown)),
    };
    let element =
        plot::element(&id, &alternative, place.to_root, height, drawn).map_err(|m| (1, m))?;
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
    let rows = || shown.iter().flat_map(|shown| shown.rows.iter().copied());
    for row in rows() {
        for (key, name) in [("x", &spec.x), ("series", &spec.series)] {
            if value_of(row, name).is_none() {
                let known: Vec<&String> = row.parameters.0.keys().collect();
                let near = nearest(name, &known);
                return Err((key, format!("{:?} has no parameter {name:?}{near}", row.name())));
            }
        }
        if spec.kind == Kind::Lines && number_of(row, &spec.x).is_none() {
            let value = value_of(row, &spec.x).unwrap_or_default();
            let message = format!("{}={value} is no number, which lines need", spec.x);
            return Err(("x", message));
        }
    }
    for (name, values) in varied(rows()) {
        let explained =
            name == spec.x || name == spec.series || spec.fixed.contains_key(name.as_str());
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
    let above_zero = |row: &Row| number_of(row, &spec.x).is_some_and(|x| x > 0.0);
    if spec.x_scale == ScaleKind::Log {
        if spec.kind != Kind::Lines {
            return Err(("x-scale", "only lines have a scale of x".to_owned()));
        }
        if !rows().all(above_zero) {
            return Err(("x-scale", no_place(&spec.x)));
        }
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

/// The value of a parameter of a row, or its contender.
fn value_of(row: &Row, name: &str) -> Option<String> {
    match name {
        CONTENDER => Some(row.contender.clone()),
        _ => row.parameters.get(name).map(Parameter::to_string),
    }
}

/// The value of a parameter that is a number.
fn number_of(row: &Row, name: &str) -> Option<f64> {
    row.parameters.get(name).and_then(Parameter::as_f64)
}

/// The contender and each parameter of these rows, with their values in the order of the rows.
fn varied<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(String, Vec<String>)> {
    let mut varied: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows {
        let parameters =
            row.parameters.0.iter().map(|(name, value)| (name.as_str(), value.to_string()));
        for (name, value) in [(CONTENDER, row.contender.clone())].into_iter().chain(parameters) {
            let known = varied.iter().position(|(known, _)| known == name);
            let index = known.unwrap_or_else(|| {
                varied.push((name.to_owned(), Vec::new()));
                varied.len() - 1
            });
            let values = &mut varied[index].1;
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

/// The values of a parameter, or the contenders, in the order of the rows.
fn distinct(rows: &[&Row], name: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in rows.iter().filter_map(|row| value_of(row, name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// The colour of a series: its own in book.toml, else one by its place.
fn colour(config: &Config, name: &str, place: usize) -> String {
    let own = config.colours.get(name);
    own.map_or(COLOURS[place % COLOURS.len()], String::as_str).to_owned()
}

/// What is drawn of a row: its interval, or those of its two regimes, the larger first, each with
/// the figure in words.
fn figures(row: &Row) -> Option<(Interval, Option<Interval>, String)> {
    let measured = row.measured()?;
    let (interval, regimes) = (measured.interval(), measured.regimes());
    let words = format::measured(interval, regimes, row.unit);
    Some(match regimes {
        None => {
            let words = format!("{words} ({})", format::range(interval, row.unit));
            (interval, None, words)
        }
        Some([most, rest]) => (most.interval, Some(rest.interval), words),
    })
}

/// What stands behind the name of a series of another machine than the first.
fn suffix(machine_index: usize, shown: &Shown<'_>) -> String {
    match machine_index {
        0 => String::new(),
        _ => format!(", {}", shown.label()),
    }
}

/// The quantity with its unit, as the title of a linear axis.
fn axis_title(spec: &Spec, scale: Scale) -> String {
    match scale.name {
        "" => spec.quantity.clone(),
        name => format!("{}, {name}", spec.quantity),
    }
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
    let kind = match spec.kind {
        Kind::Lines => "Lines",
        Kind::Bars => "Bars",
    };
    let mut text = format!("{}. {kind} of {} over {}.", spec.title, spec.quantity, spec.x);
    for shown in shown {
        for series in distinct(&shown.rows, &spec.series) {
            let rows = shown.rows.iter().copied();
            let rows = rows.filter(|row| value_of(row, &spec.series).as_ref() == Some(&series));
            let values: Vec<String> = rows
                .filter_map(|row| {
                    let x = value_of(row, &spec.x)?;
                    let measured = row.measured()?;
                    let value = format::measured(measured.interval(), measured.regimes(), unit);
                    Some(match number_of(row, &spec.x) {
                        Some(_) => format!("{value} at {}", format::thousands(&x)),
                        None if spec.x == spec.series => value,
                        None => format!("{value} for {x}"),
                    })
                })
                .collect();
            text += &format!(" {series} on {}: {}.", shown.label(), values.join(", "));
        }
    }
    text
}

/// The rows as a table: the contender, and each parameter in which they differ. It stands open where
/// no script runs, and measured.js folds it.
fn table(spec: &Spec, shown: &[Shown<'_>]) -> String {
    let several = shown.len() > 1;
    let rows = || shown.iter().flat_map(|shown| shown.rows.iter().copied());
    let columns: Vec<String> = varied(rows())
        .into_iter()
        .filter(|(name, values)| name == CONTENDER || *name == spec.x || values.len() > 1)
        .map(|(name, _)| name)
        .collect();
    let mut heads: Vec<&str> = columns.iter().map(String::as_str).collect();
    if several {
        heads.push("machine");
    }
    heads.extend([spec.quantity.as_str(), "95 % interval", "points", "source"]);
    let heads: String = heads.iter().map(|head| format!("<th>{}</th>", escape(head))).collect();
    let mut html = format!(
        "<details class=\"measured-table\" open><summary>The figures behind this chart</summary>\n\
         <div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n",
    );
    for shown in shown {
        for row in &shown.rows {
            let mut cells: Vec<String> = columns
                .iter()
                .map(|name| {
                    let value = value_of(row, name).unwrap_or_default();
                    match number_of(row, name) {
                        Some(_) => format::thousands(&value),
                        None => value,
                    }
                })
                .collect();
            if several {
                cells.push(shown.label().to_owned());
            }
            let failed = match &row.outcome {
                Outcome::Measured(m) => {
                    cells.extend([
                        format::measured(m.interval(), m.regimes(), row.unit),
                        format::measured_range(m.interval(), m.regimes(), row.unit),
                        m.points.len().to_string(),
                        format!("{:?}", m.source).to_lowercase(),
                    ]);
                    String::new()
                }
                Outcome::Failed(reason) => {
                    format!("<td colspan=\"4\">not measured: {}</td>", escape(reason))
                }
            };
            let cells: String =
                cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            html += &format!("<tr>{cells}{failed}</tr>\n");
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
                 visits that took another time, with next to nothing in between.</p>\n";
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
        let repeated = Some(header.repeated()).filter(|&rounds| rounds > 0);
        let repeated =
            repeated.map(|rounds| format!("; {rounds} rounds were done again because of that"));
        html += &format!(
            "<p class=\"measured-small\">{}: {}. Measured on {day}, {} profile, with {}. \
             Identical contenders differed by up to {}. \
             Others used {} of the machine's CPU time meanwhile{}{}.",
            escape(if shown.machine.is_local() { "Yours" } else { shown.machine.name() }),
            escape(&shown.machine.machine.in_words()),
            header.profile,
            escape(&versions.join(", ")),
            escape(&floors.join(", ")),
            percent(header.load),
            steal.unwrap_or_default(),
            repeated.unwrap_or_default(),
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
