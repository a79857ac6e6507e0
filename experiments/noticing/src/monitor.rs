//! The monitor: looks at each thread every so often. One that is in the same
//! poll as at the last look is stuck: its tasks go to the others, and another
//! thread may run in its place. So what it finds has taken at least the time
//! between two looks, and twice that at most.

use std::mem;

use crate::scheduler::Scheduler;

/// What to do until the next look.
pub(crate) enum Rest {
    /// Sleep for the time between two looks.
    Interval,
    /// Sleep until a thread wakes: all sleep.
    UntilWoken,
}

/// What the last look has seen.
pub(crate) struct Monitor {
    polls: Vec<usize>,
}

impl Monitor {
    pub(crate) fn new(threads: usize) -> Self {
        Monitor { polls: vec![0; threads] }
    }

    /// Looks at each thread.
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
