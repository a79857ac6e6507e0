//! Detects switches that the kernel didn't report. A thread can only leave a core if it came
//! there last; if another thread leaves, a switch between them was missed. We have met a virtual
//! machine whose kernel doesn't report when cores other than the first stop being idle.

use std::collections::BTreeMap;

use crate::event::{EventKind, KernelEvent};

/// Returns, for each missing switch, the core on which it happened. `events` are sorted by time.
pub(crate) fn unseen_switches(events: &[KernelEvent]) -> Vec<u32> {
    let mut came = BTreeMap::new();
    let switches = events.iter().filter(|event| event.kind == EventKind::Switch);
    let is_unseen = |event: &&KernelEvent| {
        came.insert(event.core, event.other).is_some_and(|last| last != event.thread)
    };
    switches.filter(is_unseen).filter_map(|event| event.core).collect()
}

#[cfg(test)]
mod tests {
    use super::unseen_switches;
    use crate::event::events;

    #[test]
    fn who_leaves_a_core_without_having_come_to_it_was_not_seen_to_come() {
        // The switch from the idle thread to thread 12 is missing.
        let events = events(
            "0 0 11 asleep 0
             1 1 12 asleep 0
             2 0 0 preempted 11
             3 1 12 asleep 0
             4 0 11 asleep 13",
        );
        assert_eq!(unseen_switches(&events), [1]);
    }
}
