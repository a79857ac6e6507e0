//! The units of figures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The units in which data are stored. Pages scale them (ns to ms, B to KiB).
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
