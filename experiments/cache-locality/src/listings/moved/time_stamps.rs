//! A wrong way to time a touch of memory: the two time stamps don't wait for
//! the touch.

/// Calls `touch`. Returns its result, and how far the time-stamp counter
/// advanced. The processor may read the counter before earlier instructions
/// have finished.
#[cfg(target_arch = "x86_64")]
pub fn stamped(touch: impl FnOnce() -> u64) -> (u64, u64) {
    let before = counter();
    let sum = touch();
    let after = counter();
    (sum, after.wrapping_sub(before))
}

/// Reads the processor's time-stamp counter.
#[cfg(target_arch = "x86_64")]
pub fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction, and it only reads.
    unsafe { core::arch::x86_64::_rdtsc() }
}
