//! A wrong way to time an access to memory: the processor may take the time
//! stamps before the access has finished.

/// Calls `touch`, and returns its result and the number of ticks of the
/// time-stamp counter that it took. The processor may read the counter before
/// earlier instructions have finished.
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
    // SAFETY: every x86-64 processor has this instruction, and it changes
    // nothing.
    unsafe { core::arch::x86_64::_rdtsc() }
}
