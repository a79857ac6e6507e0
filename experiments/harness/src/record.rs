//! Recordings: what the kernel and the program itself saw of one operation, to the nanosecond.
//!
//! A cell says what is recorded of it by a [`RecordingPlan`]: with which event an operation begins, and
//! by which its steps end. A child process runs the cell while the kernel's tracepoints are recorded, by
//! `perf_event_open` on the clock of `Instant`, and finds the operations in what they saw. What it recorded
//! ends with it, however it ends: nothing is switched on that outlives its file descriptors.
//!
//! An operation of less than five microseconds is recorded by the program's own stamps alone: the kernel's
//! events would be most of what is seen.

mod cell_recording;
mod find_operations;
mod kernel_event;
mod noted;
mod plan;
mod process_recording;
mod recorder;
mod stamp;
mod thread_history;
mod tracepoints;
mod unseen_switches;

pub(crate) use cell_recording::{put_together, PROCESSES};
pub use noted::Noted;
pub use plan::{Moment, Party, RecordingPlan};
pub(crate) use process_recording::ProcessRecording;
pub(crate) use recorder::record;
pub use stamp::{stamp, stamp_after};
