//! The work without any units: a loop on one thread.

/// Does `work` for each id below `units`, one after the other, and adds up what
/// it returns.
pub fn run(units: u64, work: impl Fn(u64) -> u64) -> u64 {
    (0..units).map(work).fold(0, u64::wrapping_add)
}
