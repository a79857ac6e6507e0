//! The file format of recordings. A recording shows an operation step by step, as the kernel's
//! tracepoints saw it.
//!
//! Like a file of rows, a file of recordings consists of runs: each has a header,
//! [`measurement::RunHeader`], and its recordings as JSON lines. Their figures can be selected like
//! rows, see [`recording::Recording::rows`].

pub mod recording;
mod recording_run;
pub mod timeline;

pub use recording_run::RecordingRun;
