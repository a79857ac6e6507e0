//! What a cell's time is beyond another.

use std::time::Duration;

/// What a difference is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// A time that is known, such as a wait that is part of the operation. What the
    /// operation takes beyond it is divided by `per`.
    Known {
        /// How long it is.
        time: Duration,
        /// How many units share what is beyond it: one at least.
        per: u64,
    },
    /// The contender that is the experiment's baseline, taken in the same rounds at the
    /// same setting, whatever its arm. Where the baseline does not have the setting,
    /// there is no difference.
    Baseline,
}

/// A second figure of a cell.
pub(crate) struct Difference {
    pub(crate) quantity: String,
    pub(crate) base: Base,
}
