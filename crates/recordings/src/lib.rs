//! What a recording is, written down: operations of a cell, step by step, as the kernel's tracepoints saw
//! them.
//!
//! A file of recordings has runs as a file of rows has: each a header, [`measurement::RunHeader`], and its
//! recordings as JSON lines. Figures are asked of them as rows, see [`recording::Recording::rows`].

pub mod recording;
mod recording_run;
pub mod timeline;

pub use recording_run::RecordingRun;
