//! Formats numbers for people, in a suitable unit and with no more digits than the interval
//! justifies.

use crate::{is_share, Interval, Row, Unit};

/// The dimension of a value. It determines the unit and the form in which the value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// A unit, scaled to suit the size of the value.
    Of(Unit),
    /// A share, shown as a percentage: 0.5 as 50 %.
    Share,
    /// A ratio of two figures, computed build by build.
    Ratio,
    /// A plain number: a count, or the value of a parameter.
    Count,
}

impl Dimension {
    /// The dimension of a time that is stored in nanoseconds.
    pub const TIME: Dimension = Dimension::Of(Unit::Nanoseconds);

    /// Returns the dimension of a quantity. It determines how values are shown.
    pub fn of(quantity: &str, unit: Unit) -> Dimension {
        match unit {
            Unit::One if is_share(quantity) => Dimension::Share,
            Unit::One => Dimension::Count,
            unit => Dimension::Of(unit),
        }
    }

    /// Returns the dimension of a row's figures. It determines how they are shown.
    pub fn of_row<Figures>(row: &Row<Figures>) -> Dimension {
        Dimension::of(&row.quantity, row.unit)
    }

    /// Returns what the points of a figure of this dimension are called.
    pub fn points(self) -> &'static str {
        if self == Dimension::Ratio {
            "links"
        } else {
            "visits"
        }
    }
}

/// A unit and the number by which to divide stored values, such as milliseconds for values in
/// nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitScale {
    /// The number by which to divide a value in the row's unit.
    pub divisor: f64,
    /// The unit's name, empty for a count.
    pub name: &'static str,
}

/// Returns the scale that makes a value of this size easiest to read.
pub fn scale(value: f64, dimension: Dimension) -> UnitScale {
    const KIB: f64 = 1024.0;
    let steps: &[(f64, &'static str)] = match dimension {
        Dimension::Of(Unit::Nanoseconds) => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
        Dimension::Of(Unit::Bytes) => {
            &[(KIB * KIB * KIB, "GiB"), (KIB * KIB, "MiB"), (KIB, "KiB"), (1.0, "B")]
        }
        Dimension::Of(Unit::PerSecond) => &[(1e6, "million/s"), (1.0, "/s")],
        Dimension::Share => &[(0.01, "%")],
        Dimension::Of(Unit::One) | Dimension::Ratio | Dimension::Count => &[(1.0, "")],
    };
    let fits = |(divisor, _): &&(f64, &str)| value.abs() >= *divisor;
    let (divisor, name) = *steps.iter().find(fits).unwrap_or(&steps[steps.len() - 1]);
    UnitScale { divisor, name }
}

impl UnitScale {
    /// Appends the unit's name to a number.
    pub fn join(self, number: &str) -> String {
        if self.name.is_empty() {
            number.to_owned()
        } else {
            format!("{number} {}", self.name)
        }
    }
}

/// The text shown instead of a figure that is [not known](is_unknown).
pub const UNKNOWN_FIGURE: &str = "—";

/// Formats the estimate with up to three digits, and fewer if the interval is wide: the last
/// digit is worth at least a hundredth of the interval. Always shows one digit. Returns a dash
/// for a figure that is [not known](is_unknown).
pub fn estimate(interval: Interval, dimension: Dimension) -> String {
    if is_unknown(interval) {
        return UNKNOWN_FIGURE.to_owned();
    }
    let scale = scale(interval.estimate, dimension);
    scale.join(&digits(interval.estimate / scale.divisor, decimals(interval, scale.divisor)))
}

/// If the upper end of an interval is more than this many times the lower end, the figure is
/// treated as unknown. Most such intervals come from two or three processes with very different
/// figures.
const UNKNOWN: f64 = 1000.0;

/// Returns whether an interval is so wide that the figure is treated as unknown.
pub fn is_unknown(interval: Interval) -> bool {
    interval.low > 0.0 && interval.high > UNKNOWN * interval.low
}

/// Returns whether an interval is wider than rounding errors. A deterministic result has an
/// interval of zero width, so only the estimate is shown.
pub fn has_width(interval: Interval) -> bool {
    interval.high - interval.low > 1e-9 * interval.estimate.abs()
}

/// Formats an interval as `low to high` with the unit. Uses the scale and the digits of the
/// estimate. If the figure is [not known](is_unknown), says so instead.
pub fn range(interval: Interval, dimension: Dimension) -> String {
    if is_unknown(interval) {
        return format!("not known within a factor of {}", thousands(&UNKNOWN.to_string()));
    }
    let scale = scale(interval.estimate, dimension);
    let decimals = decimals(interval, scale.divisor);
    let end = |value: f64| {
        let value = value / scale.divisor;
        // A positive lower end of an interval is never rounded down to zero.
        let place = 10f64.powi(-decimals);
        let vanishes = value != 0.0 && value.abs() < place / 2.0;
        digits(value, if vanishes { -magnitude(value) } else { decimals })
    };
    scale.join(&format!("{} to {}", end(interval.low), end(interval.high)))
}

/// Returns the smallest and the largest of `values`.
pub fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
    values.into_iter().fold((least, most), |(low, high), value| (low.min(value), high.max(value)))
}

/// Formats a published figure with four digits. Such a figure has no interval.
pub fn value(value: f64, dimension: Dimension) -> String {
    let scale = scale(value, dimension);
    let scaled = value / scale.divisor;
    let text = digits(scaled, 3 - magnitude(scaled));
    // Removes trailing zeros: a published 0.420 is shown as 0.42.
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    scale.join(text)
}

/// Returns the power of ten of the first digit: 2 for 442, -1 for 0.4.
fn magnitude(value: f64) -> i32 {
    if value == 0.0 {
        0
    } else {
        value.abs().log10().floor() as i32
    }
}

fn decimals(interval: Interval, divisor: f64) -> i32 {
    let scaled = interval.estimate / divisor;
    let three_digits = 2 - magnitude(scaled);
    let half = (interval.high - interval.low) / 2.0 / divisor;
    if half <= 0.0 {
        // A whole number that is the same in every measurement is shown without decimals.
        return if scaled.fract() == 0.0 { 0 } else { three_digits };
    }
    // At least one significant digit is shown, however wide the interval is.
    three_digits.min(-magnitude(half / 5.0)).max(-magnitude(scaled))
}

/// Formats a number with `decimals` digits after the point. If `decimals` is negative, rounds to
/// tens or hundreds.
fn digits(value: f64, decimals: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let place = 10f64.powi(-decimals);
    let value = if decimals < 0 { (value / place).round() * place } else { value };
    // Adding zero turns -0 into 0.
    thousands(&format!("{:.*}", decimals.max(0) as usize, value + 0.0))
}

/// The minus sign of figures. A line isn't broken after it.
const MINUS: &str = "\u{2212}";

/// Rounds a value to `significant` digits.
pub fn rounded(value: f64, significant: usize) -> f64 {
    let text = format!("{value:.*e}", significant - 1);
    text.parse().unwrap_or(value)
}

/// Formats the value of a parameter: numbers with commas, anything else unchanged.
pub fn parameter(value: &str) -> String {
    let is_number =
        value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && value.parse::<f64>().is_ok();
    if is_number {
        thousands(value)
    } else {
        value.to_owned()
    }
}

/// Inserts commas between groups of three digits before the decimal point. A minus sign becomes
/// the one of figures.
pub fn thousands(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let is_within = grouped.ends_with(|c: char| c.is_ascii_digit());
        if is_within && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped.replace('-', MINUS) + rest
}
