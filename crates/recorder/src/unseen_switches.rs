//! Switches that the kernel did not tell of. Whoever leaves a core has come to it
//! last; where another one does, a switch between them was not seen. The kernel of
//! a virtual machine has been met that tells nothing of what a core does when it
//! ceases to be idle, of all but its first.

use std::collections::BTreeMap;

use crate::event::{EventKind, KernelEvent};

/// The core of each that is missing, in events that stand in the order of their times.
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
        // From idle to 12 is missing.
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
