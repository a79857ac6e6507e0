//! The fingerprint of a machine: what a run finds out about it by trials.

use serde::{Deserialize, Serialize};

/// The fingerprint of a run's machine. Unknown fields are absent; what only runs before 27 November
/// 2026 recorded is ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// How many times as long the same work takes on two CPUs at once as on one alone: the maximum
    /// for the first CPU paired with each other one. The work keeps a core's arithmetic units busy
    /// and needs no memory. About 1: two cores. About 1.4 to 2: two hardware threads of one core.
    ///
    /// It only shows that some pair shares something: a clock rate that drops when more cores are
    /// busy can also make it 1.1 or so. And a CPU whose other hardware thread is constantly used by
    /// another guest is slow alone, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<f64>,
    /// The kernel's release. Absent in runs before 27 November 2026.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The setting of idle cores, from [`crate::machine::Machine::idle_setting`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// The kernel's boot id: two runs with the same id are from the same session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}
