//! The types of a task and of the function that runs a batch of tasks.

use std::sync::Arc;
use std::time::Duration;

/// Runs the task with the given number, and returns that number.
pub(super) type Task = Arc<dyn Fn(usize) -> u64 + Send + Sync>;

/// Runs the given number of tasks. Returns the time until the last task has
/// finished, by the clock of the thread that distributes the tasks, and the
/// sum of the results.
pub(super) type Run = Box<dyn Fn(usize, &Task) -> (Duration, u64)>;
