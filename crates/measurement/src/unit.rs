//! The units of figures.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;

/// The units in which data are stored. Pages convert them to readable ones, for example ns to ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Time, in nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// A rate, per second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Memory, in bytes.
    #[serde(rename = "B")]
    Bytes,
    /// A count or a ratio.
    #[serde(rename = "1")]
    One,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Unit {
    /// Returns the smallest plausible figure above 0 in this unit, and the largest.
    fn possible(self) -> [f64; 2] {
        match self {
            // Plausible times, from a thousandth of a cycle (a core does many operations at once)
            // to eleven days.
            Unit::Nanoseconds => [1e-4, 1e15],
            // Plausible rates, from once per day to more than all instructions of a large
            // machine.
            Unit::PerSecond => [1e-5, 1e13],
            // Plausible amounts of memory, from one byte per billion units to an exabyte.
            Unit::Bytes => [1e-9, 1e18],
            Unit::One => [1e-12, 1e18],
        }
    }

    /// Checks that a figure in this unit is plausible. A difference may be arbitrarily small.
    /// `kind` names the figure in the error.
    pub fn check(self, kind: &str, figure: f64, is_difference: bool) -> Result<(), String> {
        let [least, most] = self.possible();
        let size = figure.abs();
        let is_possible = size <= most && (size == 0.0 || size >= least || is_difference);
        let unit = if self == Unit::One { String::new() } else { format!(" {self}") };
        ensure!(
            is_possible,
            "{kind} is {figure:e}{unit}, which nothing is: from {least:e} to {most:e}{unit}, or 0; is it written in \
             another unit?"
        );
        Ok(())
    }
}
