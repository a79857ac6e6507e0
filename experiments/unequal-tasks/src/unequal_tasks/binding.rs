//! Pins the workers and the load generator to separate cores.

use std::sync::mpsc::{channel, Receiver};
use std::sync::{Arc, Barrier};

use harness::{pin_this_thread, room_for_cores};

use super::runtimes::Task;
use super::workers::WORKERS;

/// Returns one task per worker, and the receiver of their results. Each task
/// pins its worker to a core, and blocks it until all tasks have begun. This
/// way, every worker gets one task.
pub(super) fn of_workers() -> (Vec<Task>, Receiver<Result<(), String>>) {
    let (tell, told) = channel();
    let all_begun = Arc::new(Barrier::new(WORKERS));
    let task = |place| {
        let (tell, all_begun) = (tell.clone(), Arc::clone(&all_begun));
        let task: Task = Box::pin(async move {
            all_begun.wait();
            // Sending fails only if the measurement has already failed.
            let _ = tell.send(pin_this_thread(place));
        });
        task
    };
    ((0..WORKERS).map(task).collect(), told)
}

/// Pins the calling thread, which is the load generator, to a core without a
/// worker. If every core has a worker, the thread stays unpinned and shares
/// the workers' cores.
///
/// # Errors
///
/// If the thread cannot be pinned, with the reason.
pub(super) fn of_generator() -> Result<(), String> {
    if room_for_cores(WORKERS + 1).is_ok() {
        pin_this_thread(WORKERS)?;
    }
    Ok(())
}
