//! Axes: which values they reach, where their ticks are, and what stands beside these.

use serde_json::{Value, json};

use super::ScaleKind;
use crate::format::{self, Dimension, Scale};

/// How many ticks have a label at most: more would not fit a phone.
const TICKS: usize = 4;

/// An axis of a chart. Its values are those of rows; what is drawn is divided by `scale.divisor`.
pub(super) struct Axis {
    title: String,
    kind: ScaleKind,
    scale: Scale,
    /// From where to where it reaches.
    from: f64,
    to: f64,
    ticks: Vec<f64>,
    labels: Vec<String>,
}

impl Axis {
    /// An axis for a quantity in this dimension that shows all these values.
    ///
    /// A linear one begins at zero: a length is to tell the value.
    pub(super) fn of_quantity(
        title: &str,
        kind: ScaleKind,
        values: &[f64],
        dimension: Dimension,
        scale: Scale,
    ) -> Axis {
        let (low, high) = ends(values);
        match kind {
            ScaleKind::Linear => {
                let (low, high) = (low.min(0.0), high.max(0.0));
                let margin = 0.05 * (high - low);
                let (from, to) = (if low < 0.0 { low - margin } else { 0.0 }, high + margin);
                let step = step((to - from) / scale.divisor, TICKS);
                let ticks: Vec<f64> =
                    multiples(step, from / scale.divisor, to / scale.divisor).collect();
                let labels = ticks.iter().map(|tick| number(*tick, step)).collect();
                let ticks = ticks.iter().map(|tick| tick * scale.divisor).collect();
                let title = match scale.name {
                    "" => title.to_owned(),
                    unit => format!("{title}, {unit}"),
                };
                Axis { title, kind, scale, from, to, ticks, labels }
            }
            ScaleKind::Log => {
                let margin = 10f64.powf(0.06 * (high / low).log10().max(0.1));
                let (from, to) = (low / margin, high * margin);
                let ticks = log_ticks(from, to);
                let labels = ticks.iter().map(|tick| format::value(*tick, dimension)).collect();
                Axis { title: title.to_owned(), kind, scale, from, to, ticks, labels }
            }
        }
    }

    /// An axis for a parameter: its ticks are the values that were measured, where these have room.
    pub(super) fn of_parameter(title: &str, kind: ScaleKind, values: &[f64]) -> Axis {
        let scale = Scale { divisor: 1.0, name: "" };
        let mut axis = Axis::of_quantity(title, kind, values, Dimension::Count, scale);
        if kind == ScaleKind::Linear && values.iter().all(|value| *value > 0.0) {
            let (low, high) = ends(values);
            let margin = 0.06 * (high - low);
            (axis.from, axis.to) = (low - margin, high + margin);
        }
        let mut measured = values.to_vec();
        measured.sort_by(f64::total_cmp);
        measured.dedup();
        let apart = |pair: &[f64]| axis.place(pair[1]) - axis.place(pair[0]) >= 0.12;
        if measured.windows(2).all(apart) {
            axis.labels =
                measured.iter().map(|value| format::thousands(&value.to_string())).collect();
            axis.ticks = measured;
        }
        axis
    }

    /// Where on the axis a value is: 0 at its beginning, 1 at its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.kind {
            ScaleKind::Linear => (value - self.from) / (self.to - self.from),
            ScaleKind::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// A value as plotly.js wants it where it asks for a place on the axis, and not for data.
    pub(super) fn coordinate(&self, value: f64) -> f64 {
        let drawn = value / self.scale.divisor;
        match self.kind {
            ScaleKind::Linear => drawn,
            ScaleKind::Log => drawn.log10(),
        }
    }

    /// The axis in mdbook-plotly's words, and what it has no words for in plotly.js's.
    pub(super) fn drawn(&self) -> (Value, Value) {
        let mut axis = json!({"title": self.title});
        if self.kind == ScaleKind::Log {
            axis["type"] = json!("log");
        }
        let ticks: Vec<f64> = self.ticks.iter().map(|tick| tick / self.scale.divisor).collect();
        let extra = json!({
            "tickvals": ticks,
            "ticktext": self.labels,
            "tickangle": 0,
            "title": {"font": {"size": 13}},
            "range": [self.coordinate(self.from), self.coordinate(self.to)],
            "automargin": true,
            "zeroline": self.from < 0.0,
        });
        (axis, extra)
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that divides a length into at most so many parts.
fn step(length: f64, parts: usize) -> f64 {
    let least = length / parts as f64;
    let power = 10f64.powf(least.log10().floor());
    let fits = |factor: &f64| factor * power >= least * (1.0 - 1e-9);
    [1.0, 2.0, 2.5, 5.0].into_iter().find(fits).unwrap_or(10.0) * power
}

fn multiples(step: f64, from: f64, to: f64) -> impl Iterator<Item = f64> {
    let (first, last) = ((from / step - 1e-9).ceil() as i64, (to / step + 1e-9).floor() as i64);
    (first..=last).map(move |count| count as f64 * step)
}

/// A multiple of a step, with the decimals that the step has.
fn number(value: f64, step: f64) -> String {
    let decimals = (0..9).find(|&decimals| {
        let scaled = step * 10f64.powi(decimals);
        (scaled - scaled.round()).abs() < 1e-6
    });
    format::thousands(&format!("{value:.*}", decimals.unwrap_or(9) as usize))
}

/// Ticks of a logarithmic axis: powers of ten, with twos and fives between them where there is room;
/// on a short one, which is nearly linear, those of a linear axis.
fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let decades = |factors: &[f64]| -> Vec<f64> {
        let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
        let ticks = powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
        ticks.filter(|tick| (from..=to).contains(tick)).collect()
    };
    let powers = decades(&[1.0]);
    if powers.len() > TICKS {
        let every = powers.len().div_ceil(TICKS);
        return powers.into_iter().step_by(every).collect();
    }
    let coarse = [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0]].map(decades);
    // A fifth of a phone's width is what a label takes.
    let span = (to / from).ln();
    let is_apart = |pair: &[f64]| (pair[1] / pair[0]).ln() >= 0.2 * span;
    let has_room =
        |ticks: &Vec<f64>| (2..=TICKS).contains(&ticks.len()) && ticks.windows(2).all(is_apart);
    let fits = coarse.into_iter().rev().find(has_room);
    fits.unwrap_or_else(|| multiples(step(to - from, TICKS - 1), from, to).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(ticks: Vec<f64>) -> Vec<f64> {
        ticks.into_iter().map(|tick| (tick * 1e9).round() / 1e9).collect()
    }

    #[test]
    fn ticks_of_any_range_are_few_and_round() {
        assert_eq!(rounded(log_ticks(90.0, 110_000.0)), [100.0, 1_000.0, 10_000.0, 100_000.0]);
        assert_eq!(rounded(log_ticks(0.5, 30.0)), [1.0, 3.0, 10.0, 30.0]);
        assert_eq!(rounded(log_ticks(90.0, 700.0)), [100.0, 200.0, 500.0]);
        assert_eq!(rounded(log_ticks(0.94, 1.06)), [0.95, 1.0, 1.05]);
        assert_eq!(rounded(log_ticks(1.0, 2e8)), [1.0, 1e3, 1e6]);
        for (from, to) in [(0.97, 1.4), (3.1, 3.2), (17.0, 41.0), (1.0, 12.0), (2e-3, 9e5)] {
            let ticks = log_ticks(from, to);
            assert!((2..=TICKS).contains(&ticks.len()), "{from} to {to}: {ticks:?}");
        }
    }

    #[test]
    fn a_linear_axis_begins_at_zero() {
        let scale = Scale { divisor: 1e3, name: "µs" };
        let dimension = Dimension::Of(measurement::Unit::Nanoseconds);
        let axis =
            Axis::of_quantity("time", ScaleKind::Linear, &[4_000.0, 31_000.0], dimension, scale);
        assert_eq!((axis.from, axis.place(0.0)), (0.0, 0.0));
        assert_eq!(axis.labels, ["0", "10", "20", "30"]);
        assert_eq!(axis.title, "time, µs");
    }

    #[test]
    fn a_parameter_has_ticks_where_it_was_measured() {
        let axis = Axis::of_parameter("units", ScaleKind::Log, &[100.0, 10_000.0, 1_000.0, 100.0]);
        assert_eq!(axis.labels, ["100", "1,000", "10,000"]);
        let crowded = [0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
        let axis = Axis::of_parameter("work", ScaleKind::Linear, &crowded);
        assert_eq!(axis.labels, ["0", "50", "100"]);
    }
}
