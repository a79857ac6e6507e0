//! The fingerprint of a machine: what a run finds out about it by trying.

use serde::{Deserialize, Serialize};

/// What a run finds out about its machine. What cannot be found out is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// How much longer the same work takes on two CPUs at once than on one alone,
    /// as a ratio: the largest of the first with each other. The work keeps a
    /// core's arithmetic units busy, and needs no memory. About 1: two cores. From about 1.4 to 2: two hardware
    /// threads of one core.
    ///
    /// It cannot tell more than that some pair shares something: clocks that fall
    /// when more cores are busy make it 1.1 or so as well. And a CPU whose other
    /// hardware thread belongs to another guest who computes all the time is slow
    /// alone too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<f64>,
    /// How long a cache line takes from one CPU to another and back, in ns: the
    /// kernel's numbers of the two CPUs, and the median of some thousand round
    /// trips. Of the first CPU with each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_ns: Option<Vec<(usize, usize, f64)>>,
    /// How fast the last CPU computes, in GHz: cycles of a chain of arithmetic
    /// whose steps wait for each other, by the time that it takes at best. Nothing
    /// but the clock's frequency limits it, where copies between registers are free
    /// (most x86-64 cores); so on others, and in a build without optimisation, it
    /// is absent. Another guest on the same core hardly slows such a chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ghz: Option<f64>,
    /// The frequency of the time-stamp counter, in GHz, which is the processor's
    /// nominal one or near it; absent where it is not constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tsc_ghz: Option<f64>,
    /// The kernel's release. Runs from before 27 November 2026 don't tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// What decides how idle cores wait, as [`crate::machine::Machine::idle_setting`] says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// The kernel's id of the time since it was started: two runs with the same
    /// one are of one sitting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}
