//! What a batch is to whoever runs it.

use std::sync::Arc;
use std::time::Duration;

/// What the task of a number does; it returns its number.
pub(super) type Task = Arc<dyn Fn(usize) -> u64 + Send + Sync>;

/// Runs so many tasks. Returns how long it took until the last one was done, by the
/// clock of the thread that deals them out, and the sum of what they returned.
pub(super) type Run = Box<dyn Fn(usize, &Task) -> (Duration, u64)>;
