//! The loop that a worker runs.

use std::time::Duration;

use crate::current::{self, Current};
use crate::reactor::Reactor;

/// The number of polls after which a worker interrupts its own tasks: it
/// takes tasks queued by other threads and asks the reactor, so that tasks
/// that keep waking each other don't block all others. Asking is a system
/// call, which takes as long as several polls of a small task, so it should
/// be rare compared with polls, but frequent enough for sockets. The number
/// is Tokio's `event_interval`, so that our executors don't differ from Tokio
/// in this.
const POLLS_BETWEEN_LOOKS: u32 = 61;

/// Makes the calling thread a worker, until its executor ends.
pub(crate) fn run(worker: Current, mut reactor: Reactor) {
    reactor.enter();
    current::set(worker);
    current::with(|worker| {
        let worker = worker.expect("it was set above");
        work(worker, &mut reactor);
        // Dropping the reactor may queue the tasks that waited for its
        // sockets.
        drop(reactor);
        while let Some(task) = worker.queue.pop() {
            drop(task);
        }
    });
}

fn work(worker: &Current, reactor: &mut Reactor) {
    let mut polls = 0;
    while !worker.shared.is_closing() {
        if polls == POLLS_BETWEEN_LOOKS {
            polls = 0;
            worker.queue.take_in();
            reactor.wait(Some(Duration::ZERO));
            reactor.dispatch();
            // One of the events may ask the worker to end, so this is checked
            // before the next poll.
            continue;
        }
        if let Some(task) = worker.queue.pop() {
            polls += 1;
            task.run();
        } else if worker.queue.prepare_to_sleep() {
            polls = 0;
            reactor.wait(None);
            // Mark the worker as awake first. Otherwise, the tasks queued by
            // `dispatch` would wake this very worker.
            worker.queue.awake();
            reactor.dispatch();
        }
    }
}
