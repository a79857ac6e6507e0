//! Lines over a parameter that is a number, each in the band of its intervals, with its name at its
//! end.

use measurement::{Interval, Row};
use serde_json::{Value, json};

use super::axis::Axis;
use super::lanes::of_series;
use super::rows::{Shown, number_of};
use super::{Canvas, Mark, ScaleKind, Style, format, legend_above, suffix};

/// How high the chart is, in lines of text.
pub(super) const HEIGHT: f64 = 25.0;

/// How high that is between the axes, in pixels, nearly: what two labels must be apart is found by it.
const PLOT_PIXELS: f64 = 330.0;

/// How far apart two labels stand, in pixels.
const LABEL_PIXELS: f64 = 19.0;

/// The rows of one series on one machine.
struct Series<'a> {
    canvas: &'a Canvas<'a>,
    name: String,
    style: &'a Style,
    machine: &'a str,
    is_local: bool,
    /// In the order of x.
    marks: Vec<(f64, Mark, &'a Row)>,
}

impl<'a> Series<'a> {
    fn all(canvas: &'a Canvas<'a>, selected: &[&'a Shown<'a>]) -> Vec<Series<'a>> {
        let mut all = Vec::new();
        for shown in selected {
            for (name, style) in canvas.names.iter().zip(&canvas.styles) {
                let rows = of_series(shown, canvas.spec.series(), name).into_iter();
                let mark =
                    |row: &'a Row| Some((number_of(row, canvas.spec.x())?, Mark::of(row)?, row));
                let mut marks: Vec<_> = rows.filter_map(mark).collect();
                marks.sort_by(|a, b| a.0.total_cmp(&b.0));
                if marks.is_empty() {
                    continue;
                }
                all.push(Series {
                    canvas,
                    name: format!("{name}{}", suffix(shown)),
                    style,
                    machine: shown.machine.name(),
                    is_local: shown.machine.is_local(),
                    marks,
                });
            }
        }
        all
    }

    /// What stands in the legend, and goes with it when it is clicked at.
    fn base(&self, mode: &str, is_in_legend: bool, x: Vec<f64>, y: Vec<f64>) -> Value {
        json!({
            "type": "scatter",
            "mode": mode,
            "name": self.name,
            "show_legend": is_in_legend,
            "legend_group": self.name,
            "x": x,
            "y": y,
        })
    }

    /// The line with its points, in mdbook-plotly's words and in plotly.js's.
    fn line(&self) -> (Value, Value) {
        let intervals: Vec<Interval> =
            self.marks.iter().map(|(_, mark, _)| mark.interval).collect();
        let y = intervals.iter().map(|interval| self.canvas.drawn(interval.estimate)).collect();
        let x = self.marks.iter().map(|(x, _, _)| *x).collect();
        let Style { colour, symbol, line } = self.style;
        let marks = || self.marks.iter().map(|(_, mark, _)| mark);
        let extra = json!({
            "line": {"color": colour, "dash": line.name(self.is_local), "width": 2},
            "marker": {"color": colour, "symbol": symbol.name(self.is_local), "size": 8},
            "error_y": self.canvas.whiskers(&intervals),
            "ids": marks().map(|mark| mark.id.as_str()).collect::<Vec<_>>(),
            "meta": {"machine": self.machine, "value": "y"},
            "customdata": marks().map(|mark| mark.words.as_str()).collect::<Vec<_>>(),
            "hovertemplate": "%{customdata}<extra></extra>",
        });
        (self.base("linesmarkers", true, x, y), extra)
    }

    /// The intervals as an area: there and back again.
    fn band(&self) -> Option<(Value, Value)> {
        let there = self.marks.iter().map(|(x, mark, _)| (*x, mark.interval.high));
        let back = self.marks.iter().rev().map(|(x, mark, _)| (*x, mark.interval.low));
        let (x, y): (Vec<f64>, Vec<f64>) =
            there.chain(back).map(|(x, y)| (x, self.canvas.drawn(y))).unzip();
        let extra = json!({
            "meta": {"machine": self.machine, "role": "band"},
            "fill": "toself",
            "fillcolor": self.style.colour,
            "opacity": 0.2,
            "line": {"width": 0},
            "hoverinfo": "skip",
        });
        (self.marks.len() > 1).then(|| (self.base("lines", false, x, y), extra))
    }

    /// A cross for each second regime, if there are any.
    fn crosses(&self) -> Option<(Value, Value)> {
        let with_two =
            || self.marks.iter().filter_map(|(x, mark, _)| Some((*x, mark, mark.other?)));
        let y: Vec<f64> =
            with_two().map(|(_, _, other)| self.canvas.drawn(other.estimate)).collect();
        let x = with_two().map(|(x, _, _)| x).collect();
        let extra = json!({
            "meta": {"machine": self.machine, "value": "y", "role": "regime"},
            "ids": with_two().map(|(_, mark, _)| mark.id.as_str()).collect::<Vec<_>>(),
            "marker": {"color": self.style.colour, "symbol": "x", "size": 9},
            "error_y": self.canvas.whiskers(&with_two().map(|(_, _, other)| other).collect::<Vec<_>>()),
            "customdata": with_two().map(|(_, mark, _)| mark.words.as_str()).collect::<Vec<_>>(),
            "hovertemplate": "%{customdata}<extra></extra>",
        });
        (!y.is_empty()).then(|| (self.base("markers", false, x, y), extra))
    }

    /// The visits of each row that shows them.
    fn visits(&self) -> Vec<(Value, Value)> {
        let shows = |(x, mark, row): &(f64, Mark, &Row)| {
            let visits = self.canvas.visits(row);
            let count = visits.len();
            let extra = json!({
                "meta": {"machine": self.machine, "value": "y", "role": "visits", "row": mark.id},
                "marker": {"color": self.style.colour, "size": 4, "opacity": 0.35},
                "hoverinfo": "skip",
            });
            (count > 0).then(|| (self.base("markers", false, vec![*x; count], visits), extra))
        };
        self.marks.iter().filter_map(shows).collect()
    }
}

/// The names of series at the right end of a chart, each beside the end of its line, or as near to it
/// as the others leave room.
fn labels(series: &[Series<'_>], axis: &Axis) -> Vec<Value> {
    let end = |series: &Series<'_>| {
        series.marks.last().map_or(0.0, |(_, mark, _)| axis.place(mark.interval.estimate))
    };
    let mut ends: Vec<(f64, &Series<'_>)> =
        series.iter().map(|series| (end(series), series)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted: Vec<f64> = ends.iter().map(|(end, _)| *end).collect();
    let places = apart(&wanted, LABEL_PIXELS / PLOT_PIXELS);
    let label = |(place, (_, series)): (f64, &(f64, &Series<'_>))| {
        json!({
            "text": format!(
                "<span style='color:{}'>{}</span> {}",
                series.style.colour,
                series.style.symbol.letter(series.is_local),
                series.name
            ),
            "showarrow": false,
            "xref": "paper", "x": 1, "xanchor": "left", "xshift": 4,
            "yref": "paper", "y": format::rounded(place, 3), "yanchor": "middle",
            "align": "left",
        })
    };
    places.into_iter().zip(&ends).map(label).collect()
}

/// Places of 0 to 1 in ascending order, moved no further than it takes for any two to be `gap` apart.
fn apart(wanted: &[f64], gap: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + gap);
    }
    let mut ceiling = 1.0;
    for place in places.iter_mut().rev() {
        *place = place.min(ceiling);
        ceiling = *place - gap;
    }
    places
}

pub(super) fn draw(canvas: &Canvas<'_>, selected: &[&Shown<'_>], scale: ScaleKind) -> Value {
    let spec = canvas.spec;
    let series = Series::all(canvas, selected);
    let bands = series.iter().filter_map(Series::band);
    let visits = series.iter().flat_map(Series::visits);
    let lines = series.iter().map(Series::line);
    let crosses = series.iter().filter_map(Series::crosses);
    let (traces, extras): (Vec<Value>, Vec<Value>) =
        bands.chain(visits).chain(lines).chain(crosses).unzip();
    let x_values: Vec<f64> = canvas.rows().filter_map(|row| number_of(row, spec.x())).collect();
    let x_axis = Axis::of_parameter(spec.x(), spec.x_scale.unwrap_or_default(), &x_values);
    let y_axis = canvas.axis(scale);
    let longest = series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    let margin = |right: f64| json!({"l": 8, "r": right, "t": 8, "b": 8});
    let labels = labels(&series, &y_axis);
    let ((x_axis, x_extra), (y_axis, y_extra)) = (x_axis.drawn(), y_axis.drawn());
    json!({
        "data": traces,
        "layout": {"xaxis": x_axis, "yaxis": y_axis, "show_legend": false},
        "extra": {
            "data": extras,
            "layout": {
                "xaxis": x_extra,
                "yaxis": y_extra,
                "legend": legend_above(),
                "annotations": labels,
                "margin": margin(30.0 + 7.4 * longest as f64),
                // What measured.js puts in its place where there is no room for names.
                "meta": {"narrow": {"showlegend": true, "annotations": [], "margin": margin(16.0)}},
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_stay_inside() {
        assert_eq!(apart(&[0.1, 0.5], 0.1), [0.1, 0.5]);
        let close = |found: Vec<f64>, expected: &[f64]| {
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near && found.len() == expected.len(), "{found:?}");
        };
        close(apart(&[0.1, 0.11, 0.12], 0.1), &[0.1, 0.2, 0.3]);
        close(apart(&[0.95, 0.96, 0.97], 0.1), &[0.8, 0.9, 1.0]);
    }
}
