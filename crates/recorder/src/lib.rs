//! Records an operation as seen by the kernel and by the program itself, to the nanosecond.
//!
//! A [`RecordingPlan`] names the event that begins an operation and the events that end its
//! steps. A dedicated process runs the operation and records the kernel's tracepoints meanwhile,
//! by `perf_event_open` on the clock of `Instant`. Then it finds the operations in these events.
//! The tracepoints are switched off when their file descriptors are closed, so even a crash of
//! the process ends the recording.
//!
//! Recording the kernel's events would take most of the time of an operation of less than five
//! microseconds. So such an operation is recorded by the program's own timestamps alone.

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
pub use stamp::{stamp, stamp_after, stamp_before};

/// Always fails, since only Linux has these tracepoints.
#[cfg(not(target_os = "linux"))]
pub fn record(
    _plan: &RecordingPlan,
    _per: u64,
    _run: impl FnMut(u64) -> Result<std::time::Duration, String>,
) -> Result<recordings::recording::Recorded, String> {
    Err("recordings are made on Linux only".to_owned())
}
