//! The types of a task and of the function that runs a batch of tasks.

use std::sync::Arc;
use std::time::Duration;

/// Runs the task with the given number, and returns that number.
pub(super) type Task = Arc<dyn Fn(usize) -> u64 + Send + Sync>;

/// Runs the given number of tasks. Returns how long it took until the last
/// task finished, by the clock of the thread that distributes them, and the
/// sum of the results.
pub(super) type Run = Box<dyn Fn(usize, &Task) -> (Duration, u64)>;
