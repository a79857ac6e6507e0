//! Wrong: the time of a touch by two time stamps that wait for nothing.

/// What a touch returns, and by how much the time-stamp counter went on meanwhile.
/// The processor reads the counter when it comes to it, whether or not what was
/// begun before has ended.
#[cfg(target_arch = "x86_64")]
pub fn stamped(touch: impl FnOnce() -> u64) -> (u64, u64) {
    let before = counter();
    let sum = touch();
    let after = counter();
    (sum, after.wrapping_sub(before))
}

/// The time-stamp counter.
#[cfg(target_arch = "x86_64")]
pub fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction, and it only reads.
    unsafe { core::arch::x86_64::_rdtsc() }
}
