//! A bar a row: lying, so that names of any length have their place beside them.

use measurement::Interval;
use serde_json::{Value, json};

use super::{
    ScaleKind, Shown, Spec, axis_title, colour, distinct, figures, log_axis, suffix, value_of,
};
use crate::config::Config;
use crate::format::{self, Scale};

/// How much of a group's place its bars take.
const FILL: f64 = 0.8;

/// The bars of one series on one machine.
struct Series {
    name: String,
    colour: String,
    /// How far its bars stand from the middle of their group, in groups, downwards.
    offset: f64,
    is_first_machine: bool,
    bars: Vec<Bar>,
}

/// One row.
struct Bar {
    /// The place of its group, from the top.
    group: usize,
    interval: Interval,
    /// The second regime, which gets a cross.
    other: Option<Interval>,
    /// The figure in words, shown when pointed at.
    words: String,
}

/// How a chart's places are shared out.
struct Lanes {
    groups: Vec<String>,
    names: Vec<String>,
    machines: usize,
}

impl Lanes {
    fn new(spec: &Spec, shown: &[Shown<'_>]) -> Lanes {
        let rows: Vec<_> = shown.iter().flat_map(|shown| shown.rows.iter().copied()).collect();
        let (groups, names) = (distinct(&rows, &spec.x), distinct(&rows, &spec.series));
        Lanes { groups, names, machines: shown.len() }
    }

    /// Lanes in a group: one a series and machine, and where each series is a group, one a machine.
    fn count(&self) -> usize {
        let series = if self.groups == self.names { 1 } else { self.names.len() };
        series * self.machines
    }

    fn width(&self) -> f64 {
        FILL / self.count() as f64
    }

    fn offset(&self, series: usize, machine: usize) -> f64 {
        let lane = (series * self.machines + machine) % self.count();
        (lane as f64 + 0.5) * self.width() - FILL / 2.0
    }
}

/// How high the chart is to be, in lines of text.
pub(super) fn height(spec: &Spec, shown: &[Shown<'_>]) -> f64 {
    let lanes = Lanes::new(spec, shown);
    let lines = lanes.groups.len() as f64 * (lanes.count() as f64 * 1.4 + 0.6);
    lines.max(4.0) + 7.0
}

fn series(spec: &Spec, shown: &[Shown<'_>], lanes: &Lanes, config: &Config) -> Vec<Series> {
    let mut all = Vec::new();
    for (index, value) in lanes.names.iter().enumerate() {
        for (machine, shown) in shown.iter().enumerate() {
            let rows = shown.rows.iter();
            let rows = rows.filter(|row| value_of(row, &spec.series).as_ref() == Some(value));
            let bars: Vec<Bar> = rows
                .filter_map(|row| {
                    let group = value_of(row, &spec.x)?;
                    let group = lanes.groups.iter().position(|known| *known == group)?;
                    let (interval, other, words) = figures(row)?;
                    Some(Bar { group, interval, other, words })
                })
                .collect();
            if bars.is_empty() {
                continue;
            }
            all.push(Series {
                name: format!("{value}{}", suffix(machine, shown)),
                colour: colour(config, value, index),
                offset: lanes.offset(index, machine),
                is_first_machine: machine == 0,
                bars,
            });
        }
    }
    all
}

impl Series {
    fn places(&self, bars: &[&Bar]) -> Vec<f64> {
        bars.iter().map(|bar| bar.group as f64 + self.offset).collect()
    }

    /// The trace in mdbook-plotly's words, and what it has no words for in plotly.js's.
    fn trace(&self, spec: &Spec, scale: Scale, lanes: &Lanes) -> (Value, Value) {
        let bars: Vec<&Bar> = self.bars.iter().collect();
        let column = |value: fn(&Interval) -> f64| -> Vec<f64> {
            bars.iter().map(|bar| value(&bar.interval) / scale.divisor).collect()
        };
        let hover = |bar: &&Bar| {
            let group = &lanes.groups[bar.group];
            match *group == self.name {
                true => format!("{group}<br>{}", bar.words),
                false => format!("{group}, {}<br>{}", self.name, bar.words),
            }
        };
        let mut trace = json!({
            "name": self.name,
            "show_legend": lanes.groups != lanes.names || !self.is_first_machine,
            "x": column(|interval| interval.estimate),
            "y": self.places(&bars),
        });
        let mut extra = json!({
            "legendgroup": self.name,
            "error_x": {
                "type": "data",
                "symmetric": false,
                "array": column(|interval| interval.high - interval.estimate),
                "arrayminus": column(|interval| interval.estimate - interval.low),
                "thickness": 1.5,
                "width": 4,
            },
            "customdata": bars.iter().map(hover).collect::<Vec<_>>(),
            "hovertemplate": "%{customdata}<extra></extra>",
        });
        let (own, pattern) =
            if self.is_first_machine { ("circle", "") } else { ("diamond-open", "/") };
        match spec.y_scale {
            // A bar shows its length from zero.
            ScaleKind::Linear => {
                trace["type"] = json!("bar");
                extra["orientation"] = json!("h");
                extra["width"] = json!(lanes.width() * 0.9);
                extra["marker"] = json!({
                    "color": self.colour,
                    "opacity": 0.85,
                    "pattern": {"shape": pattern},
                });
            }
            ScaleKind::Log => {
                trace["type"] = json!("scatter");
                trace["mode"] = json!("markers");
                extra["marker"] = json!({"color": self.colour, "symbol": own, "size": 10});
            }
        }
        (trace, extra)
    }

    /// Crosses for second regimes, if there are any.
    fn crosses(&self, scale: Scale) -> Option<(Value, Value)> {
        let bars: Vec<&Bar> = self.bars.iter().filter(|bar| bar.other.is_some()).collect();
        if bars.is_empty() {
            return None;
        }
        let values = bars.iter().filter_map(|bar| bar.other);
        let values: Vec<f64> = values.map(|other| other.estimate / scale.divisor).collect();
        let trace = json!({
            "type": "scatter",
            "mode": "markers",
            "name": self.name,
            "show_legend": false,
            "legend_group": self.name,
            "x": values,
            "y": self.places(&bars),
        });
        let extra = json!({
            // It may lie on its own bar.
            "marker": {
                "color": self.colour,
                "symbol": "x",
                "size": 10,
                "line": {"color": "#ffffff", "width": 1.5},
            },
            "customdata": bars.iter().map(|bar| bar.words.as_str()).collect::<Vec<_>>(),
            "hovertemplate": "%{customdata}<extra></extra>",
        });
        Some((trace, extra))
    }
}

pub(super) fn draw(spec: &Spec, shown: &[Shown<'_>], scale: Scale, config: &Config) -> Value {
    let lanes = Lanes::new(spec, shown);
    let series = series(spec, shown, &lanes, config);
    let drawn = series.iter().map(|series| series.trace(spec, scale, &lanes));
    let crosses = series.iter().filter_map(|series| series.crosses(scale));
    let (traces, extras): (Vec<Value>, Vec<Value>) = drawn.chain(crosses).unzip();
    let unit = shown[0].rows[0].unit;
    let (x_axis, x_extra) = match spec.y_scale {
        ScaleKind::Linear => {
            (json!({"title": axis_title(spec, scale)}), json!({"rangemode": "tozero"}))
        }
        ScaleKind::Log => {
            let intervals = series.iter().flat_map(|series| &series.bars);
            let intervals = intervals.flat_map(|bar| [Some(bar.interval), bar.other]).flatten();
            let ends = intervals.flat_map(|interval| [interval.low, interval.high]).collect();
            log_axis(&spec.quantity, ends, scale, unit)
        }
    };
    let last = lanes.groups.len() as f64 - 0.5;
    // A bare number would not say what it is.
    let is_number = |group: &String| group.parse::<f64>().is_ok();
    let label = |group: &String| match is_number(group) {
        true => format!("{}={}", spec.x, format::thousands(group)),
        false => group.clone(),
    };
    let y_extra = json!({
        "tickvals": (0..lanes.groups.len()).collect::<Vec<_>>(),
        "ticktext": lanes.groups.iter().map(label).collect::<Vec<_>>(),
        // The first row on top.
        "range": [last, -0.5],
        "automargin": true,
        "zeroline": false,
        "showgrid": false,
    });
    let has_legend = lanes.groups != lanes.names || shown.len() > 1;
    json!({
        "data": traces,
        "layout": {"xaxis": x_axis, "yaxis": {"title": ""}, "show_legend": has_legend},
        "extra": {
            "data": extras,
            "layout": {
                "xaxis": x_extra,
                "yaxis": y_extra,
                "barmode": "overlay",
                "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
                "margin": {"l": 16, "r": 16, "t": 8, "b": 48},
            },
            "config": {"displayModeBar": false, "responsive": true},
        },
    })
}
