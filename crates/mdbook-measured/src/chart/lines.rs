//! Lines over a parameter that is a number.

use measurement::{Interval, Row, Unit};
use serde_json::{Value, json};

use super::{
    ScaleKind, Shown, Spec, axis_title, colour, distinct, figures, log_axis, number_of, suffix,
    value_of,
};
use crate::config::Config;
use crate::format::Scale;

/// One mark of a chart.
struct Mark {
    x: f64,
    interval: Interval,
    /// The figure in words, shown when pointed at.
    words: String,
}

/// Marks of one series on one machine, drawn alike.
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
        for (index, value) in distinct(&shown.rows, &spec.series).into_iter().enumerate() {
            let (mut marks, mut second) = (Vec::new(), Vec::new());
            let is_of_it = |row: &&&Row| value_of(row, &spec.series).as_ref() == Some(&value);
            for row in shown.rows.iter().filter(is_of_it) {
                let (Some(x), Some(figures)) = (number_of(row, &spec.x), figures(row)) else {
                    continue;
                };
                let (interval, other, words) = figures;
                second.extend(other.map(|interval| Mark { x, interval, words: words.clone() }));
                marks.push(Mark { x, interval, words });
            }
            let colour = colour(config, &value, index);
            let name = value + &suffix(machine_index, shown);
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

pub(super) fn draw(spec: &Spec, shown: &[Shown<'_>], scale: Scale, config: &Config) -> Value {
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
            (json!({"title": axis_title(spec, scale)}), json!({"rangemode": "tozero"}))
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
