//! The axes of a chart: their ranges, ticks and labels.

use language::block::{ScaleKind, Words};
use measurement::Unit;
use measurement::number_format::{self, Dimension, UnitScale, ends};

#[derive(Clone)]
pub(super) struct Axis {
    /// The axis title, which is empty if the labels suffice.
    pub title: String,
    pub is_log: bool,
    /// The values at the beginning (left or bottom) and at the end of the axis.
    pub ends: (f64, f64),
    pub ticks: Vec<(f64, String)>,
    pub has_grid: bool,
    /// True if zero is inside the range, so that a line has to mark it.
    pub has_zero_line: bool,
}

/// The maximum number of labelled ticks; a phone has no room for more.
const TICKS: usize = 4;

impl Axis {
    /// Creates an axis for groups with a label at each of these `ticks`, from 0 at the top to
    /// `bottom`, as in a table.
    pub(super) fn of_lines(ticks: Vec<(f64, String)>, bottom: f64) -> Axis {
        Axis {
            title: String::new(),
            is_log: false,
            ends: (bottom, 0.0),
            ticks,
            has_grid: false,
            has_zero_line: false,
        }
    }

    /// Creates an axis for a measured quantity. Its range includes all `values`, each divided by
    /// the divisor of `scale`.
    ///
    /// A linear axis includes zero, so that the lengths of bars are proportional to values.
    pub(super) fn of_quantity(
        mut title: String,
        kind: ScaleKind,
        values: &[f64],
        dimension: Dimension,
        scale: UnitScale,
    ) -> Axis {
        let (low, high) = ends(values.iter().copied());
        let drawn = |value: f64| value / scale.divisor;
        let (ends, ticks) = match kind {
            ScaleKind::Linear => {
                let (low, high) = (low.min(0.0), high.max(0.0));
                let margin = 0.05 * (high - low);
                let (from, to) = (if low < 0.0 { low - margin } else { 0.0 }, high + margin);
                let (from, to) = (drawn(from), drawn(to));
                let step = step(to - from, TICKS);
                if !scale.name.is_empty() {
                    let comma = if title.is_empty() { "" } else { ", " };
                    title += &format!("{comma}{}", scale.name);
                }
                let label = |tick| (tick, number(tick, step));
                ((from, to), multiples(step, from, to).map(label).collect())
            }
            ScaleKind::Log => {
                let margin = 10f64.powf(0.06 * (high / low).log10().max(0.1));
                let (from, to) = (low / margin, high * margin);
                let ticks = match dimension {
                    Dimension::Of(Unit::Bytes) => byte_ticks(from, to),
                    _ => log_ticks(from, to),
                };
                let label = |tick| (drawn(tick), number_format::value(tick, dimension));
                ((drawn(from), drawn(to)), ticks.into_iter().map(label).collect())
            }
        };
        let (is_log, has_zero_line) = (kind == ScaleKind::Log, ends.0 < 0.0);
        Axis { title, is_log, ends, ticks, has_grid: true, has_zero_line }
    }

    /// Returns the scales that a reader can choose for these values, preferably with `first` as
    /// the first. If a value is zero or negative, as the end of an interval may be, only a linear
    /// scale is possible.
    pub(super) fn scales(values: &[f64], first: ScaleKind) -> Vec<ScaleKind> {
        let (least, most) = ends(values.iter().copied());
        let has_logarithm = least > 0.0;
        let first = if has_logarithm { first } else { ScaleKind::Linear };
        let (other, has_other) = match first {
            ScaleKind::Linear => (ScaleKind::Log, has_logarithm),
            // On a scale that starts at zero, values much smaller than the largest are invisible.
            ScaleKind::Log => (ScaleKind::Linear, most <= 300.0 * least),
        };
        [first].into_iter().chain(has_other.then_some(other)).collect()
    }

    /// Creates an axis for the parameter `name`. Its ticks are the measured values, unless these
    /// are too close together.
    pub(super) fn of_parameter(
        name: &str,
        words: &Words,
        kind: ScaleKind,
        mut values: Vec<f64>,
    ) -> Axis {
        let (without_unit, unit) = words.without_unit(name);
        let dimension = match unit {
            "ns" => Dimension::TIME,
            "bytes" => Dimension::Of(Unit::Bytes),
            _ => Dimension::Count,
        };
        let has_units = dimension != Dimension::Count;
        // The labels of a logarithmic axis have units.
        let is_in_labels = has_units && kind == ScaleKind::Log;
        let title = if is_in_labels { without_unit.clone() } else { words.of(name) };
        let scale = UnitScale { divisor: 1.0, name: "" };
        let mut axis = Axis::of_quantity(title, kind, &values, dimension, scale);
        let (low, high) = ends(values.iter().copied());
        if kind == ScaleKind::Linear && low > 0.0 {
            let margin = 0.06 * (high - low);
            axis.ends = (low - margin, high + margin);
            axis.has_zero_line = axis.ends.0 < 0.0;
        }
        values.sort_by(f64::total_cmp);
        values.dedup();
        // A unit makes a label longer.
        let room = if has_units { 0.16 } else { 0.12 };
        let apart = |pair: &[f64]| axis.place(pair[1]) - axis.place(pair[0]) >= room;
        if values.windows(2).all(apart) {
            let label = |value: f64| {
                if has_units {
                    number_format::value(value, dimension)
                } else {
                    number_format::thousands(&value.to_string())
                }
            };
            axis.ticks = values.into_iter().map(|value| (value, label(value))).collect();
            if has_units {
                axis.title = without_unit;
            }
        }
        axis
    }

    /// Returns `value` or, on a logarithmic axis, its logarithm, so that equal differences have
    /// equal lengths.
    pub(super) fn coordinate(&self, value: f64) -> f64 {
        if self.is_log { value.log10() } else { value }
    }

    pub(super) fn range(&self) -> [f64; 2] {
        [self.coordinate(self.ends.0), self.coordinate(self.ends.1)]
    }

    /// Returns the position of a value on the axis: 0 at the beginning, 1 at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let [from, to] = self.range();
        (self.coordinate(value) - from) / (to - from)
    }
}

/// Returns the distance between ticks: the smallest number of the form 1, 2, 2.5 or 5 times a
/// power of ten that divides `length` into at most `parts` parts.
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

/// Formats `value`, a multiple of `step`, with as many decimals as `step` has.
fn number(value: f64, step: f64) -> String {
    let decimals = (0..9).find(|&decimals| {
        let scaled = step * 10f64.powi(decimals);
        (scaled - scaled.round()).abs() < 1e-6
    });
    number_format::thousands(&format!("{value:.*}", decimals.unwrap_or(9) as usize))
}

/// Returns the ticks of a logarithmic axis: powers of ten, and values between them if there is
/// room. A short logarithmic axis is nearly linear, so it has evenly spaced ticks.
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
    // On a phone, "100 ms" and "50 ms" fit next to each other only if their positions differ by
    // at least 0.24 of the picture's width.
    let span = (to / from).ln();
    let is_apart = |pair: &[f64]| (pair[1] / pair[0]).ln() >= 0.24 * span;
    let has_room =
        |ticks: &Vec<f64>| (2..=TICKS).contains(&ticks.len()) && ticks.windows(2).all(is_apart);
    let finest_first = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]].map(decades);
    finest_first.into_iter().find(has_room).unwrap_or_else(|| {
        let mut ticks: Vec<f64> = multiples(step(to - from, TICKS - 1), from, to).collect();
        // On a logarithmic axis, evenly spaced values get closer towards the end, while their
        // labels get longer.
        ticks.dedup_by(|tick, last| (*tick / *last).ln() < 0.3 * span);
        ticks
    })
}

/// Returns the ticks of a logarithmic axis for bytes: powers of two, because each unit is 1,024
/// times the one before.
fn byte_ticks(from: f64, to: f64) -> Vec<f64> {
    let span = (to / from).log2();
    let powers = from.log2().ceil() as i32..=to.log2().floor() as i32;
    let apart = [1, 2, 5, 10, 20].into_iter().filter(|step| f64::from(*step) >= 0.2 * span);
    let mut ticks = apart.map(|step| -> Vec<f64> {
        let powers = powers.clone().filter(|power| power % step == 0);
        powers.map(|power| 2f64.powi(power)).collect()
    });
    let fit = ticks.find(|ticks| (2..=TICKS).contains(&ticks.len()));
    fit.unwrap_or_else(|| log_ticks(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| &**label).collect()
    }

    #[test]
    fn ticks_of_any_range_are_few_and_round() {
        for (found, expected) in [
            (log_ticks(90.0, 110_000.0), &[100.0, 1_000.0, 10_000.0, 100_000.0][..]),
            (log_ticks(0.5, 30.0), &[1.0, 3.0, 10.0, 30.0]),
            (log_ticks(90.0, 700.0), &[100.0, 200.0, 500.0]),
            // A tick at 50 would be too close to 100.
            (log_ticks(8.0, 150.0), &[10.0, 30.0, 100.0]),
            (log_ticks(0.94, 1.06), &[0.95, 1.0, 1.05]),
            // The step is 100,000, but the tick at 400,000 is left out, because it would be too
            // close to 300,000.
            (log_ticks(130_000.0, 420_000.0), &[200_000.0, 300_000.0]),
            (log_ticks(1.0, 2e8), &[1.0, 1e3, 1e6]),
            (byte_ticks(220.0, 11_000.0), &[256.0, 1_024.0, 4_096.0]),
            (byte_ticks(900.0, 5_000.0), &[1_024.0, 2_048.0, 4_096.0]),
            (byte_ticks(60.0, 9e6), &[1_024.0, 32_768.0, 1_048_576.0]),
            (byte_ticks(5_000.0, 6_000.0), &log_ticks(5_000.0, 6_000.0)),
        ] {
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b.abs();
            let are_near = found.iter().zip(expected).all(is_near);
            assert!(are_near && found.len() == expected.len(), "{found:?}, not {expected:?}");
        }
        for (from, to) in [(0.97, 1.4), (3.1, 3.2), (17.0, 41.0), (1.0, 12.0), (2e-3, 9e5)] {
            let ticks = log_ticks(from, to);
            assert!((2..=TICKS).contains(&ticks.len()), "{from} to {to}: {ticks:?}");
        }
    }

    #[test]
    fn a_parameter_has_ticks_where_it_was_measured() {
        let values = vec![100.0, 10_000.0, 1_000.0, 100.0];
        let axis = Axis::of_parameter("units", &Words::default(), ScaleKind::Log, values);
        assert_eq!(labels(&axis), ["100", "1,000", "10,000"]);
        let crowded = vec![0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
        let axis = Axis::of_parameter("work", &Words::default(), ScaleKind::Linear, crowded);
        assert_eq!(labels(&axis), ["0", "50", "100"]);
        // Labels of times and sizes have units, also where they are not what was measured.
        let times = vec![10_000.0, 1_000_000.0];
        let axis = Axis::of_parameter("poll_ns", &Words::default(), ScaleKind::Log, times);
        assert_eq!((&*axis.title, labels(&axis)), ("poll", vec!["10 µs", "1 ms"]));
        let crowded = vec![1_024.0, 1_025.0, 1_048_576.0];
        let axis = Axis::of_parameter("set_bytes", &Words::default(), ScaleKind::Log, crowded);
        assert_eq!((&*axis.title, labels(&axis)), ("set", vec!["1 KiB", "32 KiB", "1 MiB"]));
        // On a linear axis the title has the unit then.
        let crowded = vec![1_000.0, 1_001.0, 1_000_000.0];
        let axis = Axis::of_parameter("poll_ns", &Words::default(), ScaleKind::Linear, crowded);
        assert_eq!(axis.title, "poll, ns");
    }
}
