//! The fingerprint of a machine, which a run takes by quick trials.

use serde::{Deserialize, Serialize};

/// The fingerprint of a run's machine. Fields that were not determined are absent. Values that
/// were only recorded before 27 November 2026 are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// How many times longer the same work takes on two CPUs at once than on one alone: the
    /// maximum over pairs of the first CPU with each other CPU. The work keeps a core's
    /// arithmetic units busy and needs no memory. About 1: two cores. About 1.4 to 2: two
    /// hardware threads of one core.
    ///
    /// The value only shows that some pair shares something. A clock rate that drops when more
    /// cores are busy can also raise it to about 1.1, and a CPU whose other hardware thread is
    /// constantly used by another guest is slow even alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<f64>,
    /// The kernel's release. Absent before 27 November 2026.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The setting of idle cores, from [`crate::machine::Machine::idle_setting`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// The kernel's boot id: two runs with the same id are from the same session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}
