//! Recordings: what the kernel and the program itself saw of one operation, to the nanosecond.
//!
//! A [`RecordingPlan`] says with which event an operation begins, and by which its steps end. A process that
//! is there for nothing else runs it while the kernel's tracepoints are recorded, by `perf_event_open` on the
//! clock of `Instant`, and finds the operations in what they saw. What it recorded ends with it, however it
//! ends: nothing is switched on that outlives its file descriptors.
//!
//! An operation of less than five microseconds is recorded by the program's own stamps alone: the kernel's
//! events would be most of what is seen.

#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod event;
mod noted;
#[cfg(target_os = "linux")]
mod operations;
mod plan;
mod put_together;
#[cfg(target_os = "linux")]
mod record;
mod stamp;
#[cfg(target_os = "linux")]
mod timeline;
#[cfg(target_os = "linux")]
pub mod tracefs;
#[cfg(target_os = "linux")]
mod tracepoints;
#[cfg(target_os = "linux")]
mod unseen_switches;

pub use noted::Noted;
pub use plan::{Moment, Party, RecordingPlan};
pub use put_together::{put_together, PROCESSES};
#[cfg(target_os = "linux")]
pub use record::record;
pub use stamp::{stamp, stamp_after};

/// Elsewhere there is nothing to record with.
#[cfg(not(target_os = "linux"))]
pub fn record(
    _plan: &RecordingPlan,
    _per: u64,
    _run: impl FnMut(u64) -> Result<std::time::Duration, String>,
) -> Result<recordings::recording::Recorded, String> {
    Err("recordings are made on Linux only".to_owned())
}
