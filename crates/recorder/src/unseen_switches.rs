//! Switches that the kernel did not tell of. Whoever leaves a core has come to it
//! last; where another one does, a switch between them was not seen. The kernel of
//! a virtual machine has been met that tells nothing of what a core does when it
//! ceases to be idle, of all but its first.

use std::collections::BTreeMap;

use super::event::{Happening, KernelEvent, ThreadId};

/// How many switches are missing, by core, in events that stand in the order of
/// their times.
pub(super) fn unseen_switches(events: &[KernelEvent]) -> BTreeMap<u32, usize> {
    let mut came: BTreeMap<u32, ThreadId> = BTreeMap::new();
    let mut unseen = BTreeMap::new();
    for event in events {
        let (Some(core), Happening::Switch { next, .. }) =
            (event.core, event.what)
        else {
            continue;
        };
        if came.insert(core, next).is_some_and(|last| last != event.thread) {
            *unseen.entry(core).or_default() += 1;
        }
    }
    unseen
}

#[cfg(test)]
mod tests {
    use crate::event::Leaves;
    use super::*;

    #[test]
    fn who_leaves_a_core_without_having_come_to_it_was_not_seen_to_come() {
        let switch = |core, thread, next| KernelEvent {
            time: 0,
            core: Some(core),
            thread,
            is_own: true,
            what: Happening::Switch { next, leaves: Leaves::Asleep },
        };
        let events = [
            switch(0, 11, 0),
            switch(1, 12, 0),
            switch(0, 0, 11),
            // From idle to 12 is missing.
            switch(1, 12, 0),
            switch(0, 11, 13),
        ];
        assert_eq!(unseen_switches(&events), BTreeMap::from([(1, 1)]));
    }
}
