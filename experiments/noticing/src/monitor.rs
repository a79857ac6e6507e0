//! The monitor: checks each thread at regular intervals. A thread in the same
//! poll as at the previous check is stuck: other threads get its tasks, and a
//! spare thread may run in its place. So a stuck poll is found after one to
//! two intervals.

use std::mem;

use crate::scheduler::Scheduler;

/// What to wait for before the next check.
pub(crate) enum Rest {
    Interval,
    /// All threads sleep, so there is nothing to check until one of them
    /// wakes up.
    UntilWoken,
}

/// The monitor. It remembers each thread's poll count at the previous check.
pub(crate) struct Monitor {
    polls: Vec<usize>,
}

impl Monitor {
    pub(crate) fn new(threads: usize) -> Self {
        Monitor { polls: vec![0; threads] }
    }

    /// Checks each thread, and returns what to wait for before the next
    /// check.
    pub(crate) fn look<T>(&mut self, scheduler: &Scheduler<T>) -> Rest {
        let roster = &scheduler.roster;
        let mut anything_new = false;
        let mut to_do = false;
        for (thread, seen) in self.polls.iter_mut().enumerate() {
            let polls = roster.polls(thread);
            if mem::replace(seen, polls) != polls {
                anything_new = true;
            } else if is_during_a_poll(polls) {
                to_do |= roster.found_stuck(thread, polls);
                to_do |= scheduler.rescue(thread);
            }
        }
        if to_do {
            scheduler.wake_one();
        }
        if anything_new || !roster.monitor_may_rest() {
            Rest::Interval
        } else {
            Rest::UntilWoken
        }
    }
}

fn is_during_a_poll(polls: usize) -> bool {
    polls % 2 == 1
}
