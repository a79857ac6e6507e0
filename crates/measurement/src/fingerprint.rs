//! The fingerprint of a machine. Every run takes it by a few quick trials.

use serde::{Deserialize, Serialize};

/// The fingerprint of the machine, as taken by a run. Fields that were not determined are absent.
/// Values that were only recorded before 27 November 2026 are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// How many times longer a piece of work takes on two CPUs at once than on one alone: the
    /// maximum over pairs of the first CPU with each other CPU. The work keeps a core's
    /// arithmetic units busy and needs no memory. About 1: two cores. About 1.4 to 2: two
    /// hardware threads of one core.
    ///
    /// A high value only shows that some pair of CPUs shares something. A clock rate that drops
    /// when more cores are busy can also raise the value to about 1.1. A CPU that shares its core
    /// with another guest's busy CPU is slow even alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<f64>,
    /// The kernel's release. Absent in runs from before 27 November 2026.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// How idle cores behave, as described by [`crate::machine::Machine::idle_setting`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// The kernel's boot id, which changes at each boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}
