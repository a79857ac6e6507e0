//! An echo server on Tokio that tells what the runtime counts of itself, and what the
//! server's tasks count.
//!
//! Tokio counts polls and steals where it is compiled with `--cfg tokio_unstable`, and
//! then for everybody. So this is a program of its own: chapter cache-locality builds
//! it with that flag in a target directory beside all else, and takes no time of it.
//! Built without the flag, it says so and ends.

use serde::{Deserialize, Serialize};

#[cfg(tokio_unstable)]
mod echo;
mod server;

pub use server::serve;

/// What is the program's argument for the compiler.
pub const FLAG: &str = "--cfg tokio_unstable";

/// What has been counted since the server was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerCounts {
    /// Bytes that tasks have read.
    pub bytes: u64,
    /// Messages that a task handled on another worker than the one before.
    pub moves: u64,
    /// Polls of tasks, by the runtime's own count.
    pub polls: u64,
    /// Tasks that workers have stolen from each other, by the runtime's own count.
    pub steals: u64,
    /// How often one stole, whatever number of tasks, by the runtime's own count.
    pub steal_operations: u64,
}
