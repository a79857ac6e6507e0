//! Recordings: what the kernel and the program itself saw of one operation, to the nanosecond.
//!
//! A [`RecordingPlan`] says with which event an operation begins, and by which its steps end. A process that
//! is there for nothing else runs it while the kernel's tracepoints are recorded, by `perf_event_open` on the
//! clock of `Instant`, and finds the operations in what they saw. What it recorded ends with it, however it
//! ends: nothing is switched on that outlives its file descriptors.
//!
//! An operation of less than five microseconds is recorded by the program's own stamps alone: the kernel's
//! events would be most of what is seen.

mod event;
mod noted;
mod operations;
mod plan;
mod process_recording;
mod put_together;
mod record;
mod stamp;
mod timeline;
#[cfg(target_os = "linux")]
pub mod tracefs;
mod tracepoints;
mod unseen_switches;

pub use noted::Noted;
pub use plan::{Moment, Party, RecordingPlan};
pub use process_recording::ProcessRecording;
pub use put_together::{put_together, PROCESSES};
pub use record::record;
pub use stamp::{stamp, stamp_after};
