//! Wakes the load generator's threads on time.

use std::thread;
use std::time::Instant;

/// Asks the kernel to wake the calling thread on time. By default, the kernel
/// delays timers by up to 50 us to combine wake-ups. Such a delay would be as
/// long as the measured times.
#[cfg(target_os = "linux")]
pub(crate) fn be_woken_in_time() {
    // If the kernel refuses, the only effect is that requests are sent
    // slightly later.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn be_woken_in_time() {}

pub(crate) fn sleep_until(at: Instant) {
    thread::sleep(at.saturating_duration_since(Instant::now()));
}
