//! Precise timing of a load's requests.

use std::thread;
use std::time::Instant;

/// Lets the kernel wake the calling thread on time. By default, it wakes a
/// sleeping thread up to 50 us late, to wake several together, which is as
/// long as the measured times.
#[cfg(target_os = "linux")]
pub(crate) fn be_woken_in_time() {
    // If the kernel refuses, requests are sent slightly later.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn be_woken_in_time() {}

pub(crate) fn sleep_until(at: Instant) {
    thread::sleep(at.saturating_duration_since(Instant::now()));
}
