//! Bars, points and distributions: a row has a lane of its own, lying, so that names of any length
//! have their place beside it.

use measurement::{Interval, Row};
use serde_json::{Value, json};

use super::lanes::{Lanes, of_series};
use super::rows::Shown;
use super::{CONTENDER, Canvas, Kind, Mark, ScaleKind, Style, legend_above, suffix};

/// The rows of one series on one machine, with their places.
struct Series<'a> {
    canvas: &'a Canvas<'a>,
    name: String,
    is_in_legend: bool,
    style: &'a Style,
    machine: &'a str,
    is_local: bool,
    lane: f64,
    bars: Vec<(&'a Row, Mark, f64)>,
}

/// How high the chart is to be, in lines of text: for all views the same.
pub(super) fn height(canvas: &Canvas<'_>) -> f64 {
    let most = canvas.selections().iter().map(|(_, shown)| shown.len()).max().unwrap_or(1);
    let lanes = Lanes::new(canvas, most);
    let lane = if canvas.spec.kind == Kind::Distribution { 2.2 } else { 1.4 };
    let lines = lanes.groups.len() as f64 * (lanes.count() as f64 * lane + 0.6);
    lines.max(4.0) + 7.0
}

impl<'a> Series<'a> {
    fn all(canvas: &'a Canvas<'a>, selected: &[&'a Shown<'a>], lanes: &Lanes) -> Vec<Series<'a>> {
        let mut all = Vec::new();
        for (index, (name, style)) in canvas.names.iter().zip(&canvas.styles).enumerate() {
            for (machine, shown) in selected.iter().enumerate() {
                let rows = of_series(shown, canvas.spec.series(), name).into_iter();
                let bar = |row: &'a Row| {
                    let place = lanes.place(row, canvas.spec.x(), index, machine)?;
                    Some((row, Mark::of(row)?, place))
                };
                let bars: Vec<_> = rows.filter_map(bar).collect();
                if bars.is_empty() {
                    continue;
                }
                let (name, is_in_legend) = match lanes.are_series() {
                    // Its name stands beside it: the legend tells the machines apart.
                    true => (shown.label().to_owned(), index == 0 && selected.len() > 1),
                    false => (format!("{name}{}", suffix(shown)), true),
                };
                all.push(Series {
                    canvas,
                    name,
                    is_in_legend,
                    style,
                    machine: shown.machine.name(),
                    is_local: shown.machine.is_local(),
                    lane: lanes.width(),
                    bars,
                });
            }
        }
        all
    }

    fn places(&self) -> Vec<f64> {
        self.bars.iter().map(|(_, _, place)| *place).collect()
    }

    /// The trace in mdbook-plotly's words, and what it has no words for in plotly.js's.
    fn trace(&self, scale: ScaleKind, lanes: &Lanes) -> (Value, Value) {
        let canvas = self.canvas;
        let intervals: Vec<Interval> = self.bars.iter().map(|(_, mark, _)| mark.interval).collect();
        let estimates: Vec<f64> =
            intervals.iter().map(|interval| canvas.drawn(interval.estimate)).collect();
        let mut trace = json!({
            "name": self.name,
            "show_legend": self.is_in_legend,
            "x": estimates,
            "y": self.places(),
        });
        let marks = || self.bars.iter().map(|(_, mark, _)| mark);
        let mut extra = json!({
            "legendgroup": self.name,
            "error_x": canvas.whiskers(&intervals),
            "ids": marks().map(|mark| mark.id.as_str()).collect::<Vec<_>>(),
            "meta": {"machine": self.machine, "value": "x"},
            "customdata": marks().map(|mark| mark.words.as_str()).collect::<Vec<_>>(),
            "hovertemplate": "%{customdata}<extra></extra>",
        });
        let Style { colour, symbol, .. } = self.style;
        if canvas.spec.kind == Kind::Bars && scale == ScaleKind::Linear {
            // A bar shows its length from zero.
            trace["type"] = json!("bar");
            extra["orientation"] = json!("h");
            extra["width"] = json!(self.lane * 0.9);
            let fill = if self.is_local { "rgba(0,0,0,0)" } else { colour };
            extra["marker"] = json!({
                "color": fill,
                "line": {"color": colour, "width": 2},
                "pattern": {
                    // A bar with its name beside it needs no hatching.
                    "shape": if lanes.are_series() { "" } else { symbol.pattern() },
                    "fillmode": "overlay",
                    "fgcolor": if self.is_local { colour } else { "rgb(255,255,255)" },
                    "fgopacity": if self.is_local { 1.0 } else { 0.5 },
                    "size": 7,
                },
            });
        } else {
            trace["type"] = json!("scatter");
            trace["mode"] = json!("markers");
            extra["marker"] = json!({
                "color": colour,
                "symbol": symbol.name(self.is_local),
                "size": 10,
                "line": {"color": colour, "width": 1},
            });
        }
        (trace, extra)
    }

    /// A cross for each second regime, if there are any.
    fn crosses(&self) -> Option<(Value, Value)> {
        let with_two =
            || self.bars.iter().filter_map(|(_, mark, place)| Some((mark, mark.other?, place)));
        let values: Vec<f64> =
            with_two().map(|(_, other, _)| self.canvas.drawn(other.estimate)).collect();
        if values.is_empty() {
            return None;
        }
        let trace = json!({
            "type": "scatter",
            "mode": "markers",
            "name": self.name,
            "show_legend": false,
            "legend_group": self.name,
            "x": values,
            "y": with_two().map(|(_, _, place)| place).collect::<Vec<_>>(),
        });
        let extra = json!({
            "meta": {"machine": self.machine, "value": "x", "role": "regime"},
            "ids": with_two().map(|(mark, _, _)| mark.id.as_str()).collect::<Vec<_>>(),
            // It may lie on its own bar.
            "marker": {
                "color": self.style.colour,
                "symbol": "x",
                "size": 10,
                "line": {"color": "rgb(255,255,255)", "width": 1.5},
            },
            "error_x": self.canvas.whiskers(&with_two().map(|(_, other, _)| other).collect::<Vec<_>>()),
            "customdata": with_two().map(|(mark, _, _)| mark.words.as_str()).collect::<Vec<_>>(),
            "hovertemplate": "%{customdata}<extra></extra>",
        });
        Some((trace, extra))
    }

    /// The visits of each row that shows them, as faint dots about the middle of its lane.
    fn visits(&self) -> Vec<(Value, Value)> {
        let shows = |(row, mark, place): &(&Row, Mark, f64)| {
            let visits = self.canvas.visits(row);
            let trace = json!({
                "type": "scatter",
                "mode": "markers",
                "name": self.name,
                "show_legend": false,
                "legend_group": self.name,
                "x": visits,
                "y": (0..visits.len()).map(|visit| place + self.jitter(visit)).collect::<Vec<_>>(),
            });
            let extra = json!({
                "meta": {"machine": self.machine, "value": "x", "role": "visits", "row": mark.id},
                "marker": {"color": self.style.colour, "size": 5, "opacity": 0.35},
                "hoverinfo": "skip",
            });
            (!visits.is_empty()).then_some((trace, extra))
        };
        self.bars.iter().filter_map(shows).collect()
    }

    /// How far from the middle of its lane a visit is drawn, so that equal ones do not hide each
    /// other: multiples of the golden ratio fill the width evenly, and the same on every build.
    fn jitter(&self, visit: usize) -> f64 {
        let even = (visit as f64 * 0.618_034).fract() - 0.5;
        super::format::rounded(even * self.lane * 0.8, 3)
    }
}

pub(super) fn draw(canvas: &Canvas<'_>, selected: &[&Shown<'_>], scale: ScaleKind) -> Value {
    let lanes = Lanes::new(canvas, selected.len());
    let series = Series::all(canvas, selected, &lanes);
    let visits = series.iter().flat_map(Series::visits);
    let drawn = series.iter().map(|series| series.trace(scale, &lanes));
    let crosses = series.iter().filter_map(Series::crosses);
    // Bars lie beneath their visits, points above.
    let is_bars = canvas.spec.kind == Kind::Bars && scale == ScaleKind::Linear;
    let (traces, extras): (Vec<Value>, Vec<Value>) = match is_bars {
        true => drawn.chain(visits).chain(crosses).unzip(),
        false => visits.chain(drawn).chain(crosses).unzip(),
    };
    let (x_axis, x_extra) = canvas.axis(scale).drawn();
    let y_extra = json!({
        "tickvals": (0..lanes.groups.len()).collect::<Vec<_>>(),
        "ticktext": lanes.labels(),
        // The first row on top.
        "range": [lanes.groups.len() as f64 - 0.5, -0.5],
        "automargin": true,
        "zeroline": false,
        "showgrid": false,
    });
    // What the groups are, above them. Contenders need no such word.
    let heading = json!({
        "text": format!("<i>{}</i>", canvas.spec.x()),
        "showarrow": false,
        "xref": "paper", "x": 0, "xanchor": "right", "xshift": -6,
        "yref": "paper", "y": 1, "yanchor": "bottom",
    });
    let headings = if canvas.spec.x() == CONTENDER { Vec::new() } else { vec![heading] };
    json!({
        "data": traces,
        "layout": {
            "xaxis": x_axis,
            "yaxis": {"title": ""},
            "show_legend": !lanes.are_series() || selected.len() > 1,
        },
        "extra": {
            "data": extras,
            "layout": {
                "xaxis": x_extra,
                "yaxis": y_extra,
                "barmode": "overlay",
                "legend": legend_above(),
                "annotations": headings,
                // At least as wide as what stands there, and wider where labels need it.
                "margin": {
                    "l": 20.0 + 8.0 * canvas.spec.x().chars().count() as f64,
                    "r": 24,
                    "t": 24,
                    "b": 8,
                },
            },
        },
    })
}
