//! Wrong: times a touch by two time stamps that don't wait for the touch.

/// Returns the result of `touch`, and how far the time-stamp counter
/// advanced. The processor may read the counter before earlier instructions
/// have finished.
#[cfg(target_arch = "x86_64")]
pub fn stamped(touch: impl FnOnce() -> u64) -> (u64, u64) {
    let before = counter();
    let sum = touch();
    let after = counter();
    (sum, after.wrapping_sub(before))
}

/// Reads the time-stamp counter.
#[cfg(target_arch = "x86_64")]
pub fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction, and it only reads.
    unsafe { core::arch::x86_64::_rdtsc() }
}
