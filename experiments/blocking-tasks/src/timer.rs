//! Precise waiting for the next request of a load.

use std::thread;
use std::time::Instant;

/// By default, the kernel wakes a sleeping thread up to 50 us late, to wake
/// several together. That is as long as the measured times.
#[cfg(target_os = "linux")]
pub(crate) fn be_woken_in_time() {
    // If this is refused, requests are sent slightly later.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn be_woken_in_time() {}

pub(crate) fn sleep_until(at: Instant) {
    thread::sleep(at.saturating_duration_since(Instant::now()));
}
