//! Finds a plan's operations among events.

use std::collections::BTreeMap;

use super::event::{Happening, KernelEvent, Leaves, ThreadId};
use super::plan::{Deed, Moment, Party, Sought};

/// An operation that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundOperation {
    /// When it began, in nanoseconds.
    pub(super) began: u64,
    /// Which of the steps it has, and how long each was, in nanoseconds.
    pub(super) steps: Vec<(usize, u64)>,
    /// How many events fell into it, the first and the last among them.
    pub(super) events: usize,
    /// Who woke, and who was woken, if anybody was.
    pub(super) waker: ThreadId,
    pub(super) woken: Option<ThreadId>,
}

impl FoundOperation {
    pub(super) fn length(&self) -> u64 {
        self.steps.iter().map(|(_, took)| took).sum()
    }

    /// Which steps it has.
    pub(super) fn way(&self) -> Vec<usize> {
        self.steps.iter().map(|(step, _)| *step).collect()
    }
}

/// The operations that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundOperations {
    pub(super) operations: Vec<FoundOperation>,
    /// How many began, and did not end.
    pub(super) lost: usize,
    /// The last step to which any came that began, of those that did not end; none if they ended, or came to
    /// no step.
    pub(super) unfinished: Option<usize>,
}

/// All operations that begin with `begins` and go through the steps, in events that stand in the order
/// of their times. One that begins anew before it has ended is none.
pub(super) fn find_operations(
    events: &[KernelEvent],
    begins: Moment,
    steps: &[Sought],
) -> FoundOperations {
    let mut found =
        FoundOperations { operations: Vec::new(), lost: 0, unfinished: None };
    let mut cores = BTreeMap::new();
    for (first, event) in events.iter().enumerate() {
        note_core(&mut cores, event);
        let mut parties = Parties { waker: event.thread, woken: None, cores };
        if event.is_own && parties.is_it(begins, event) {
            match follow(&events[first..], begins, steps, parties.clone()) {
                Ok(operation) => found.operations.push(operation),
                Err(last) => {
                    found.lost += 1;
                    found.unfinished = found.unfinished.max(last);
                }
            }
        }
        cores = parties.cores;
    }
    found
}

/// The operation with which the events begin, or the last step to which it came.
fn follow(
    events: &[KernelEvent],
    begins: Moment,
    steps: &[Sought],
    mut parties: Parties,
) -> Result<FoundOperation, Option<usize>> {
    let began = events[0].time;
    let (mut place, mut since) = (0, began);
    let mut taken: Vec<(usize, u64)> = Vec::new();
    for (index, event) in events.iter().enumerate().skip(1) {
        let must_come = steps[place..].iter().position(|s| !s.may_be_missing);
        let may_come = place..=(place + must_come.unwrap_or(0));
        if let Some(step) = may_come
            .into_iter()
            .find(|&step| parties.is_it(steps[step].until, event))
        {
            taken.push((step, event.time - since));
            (place, since) = (step + 1, event.time);
            if place == steps.len() {
                let Parties { waker, woken, .. } = parties;
                return Ok(FoundOperation {
                    began,
                    steps: taken,
                    events: index + 1,
                    waker,
                    woken,
                });
            }
        } else if event.thread == parties.waker && parties.is_it(begins, event)
        {
            break;
        }
        note_core(&mut parties.cores, event);
    }
    Err(taken.last().map(|(step, _)| *step))
}

/// Notes where an event's thread is, and the one that it gives its core to.
fn note_core(cores: &mut BTreeMap<ThreadId, u32>, event: &KernelEvent) {
    let Some(core) = event.core else { return };
    cores.insert(event.thread, core);
    if let Happening::Switch { next, .. } = event.what {
        cores.insert(next, core);
    }
}

/// Who is who in an operation, as far as it is known.
#[derive(Clone)]
struct Parties {
    waker: ThreadId,
    woken: Option<ThreadId>,
    /// On which core each has been seen last.
    cores: BTreeMap<ThreadId, u32>,
}

impl Parties {
    /// Whether an event is the moment; who is woken is known from the first one that says so.
    fn is_it(&mut self, moment: Moment, event: &KernelEvent) -> bool {
        let Moment { party, deed } = moment;
        let does = |thread| self.may_be(party, thread);
        match (deed, event.what) {
            (Deed::Enters(call), Happening::Enter(entered))
                if call == entered =>
            {
                event.is_own
                    && does(event.thread)
                    && self.known(party, event.thread)
            }
            (Deed::Returns(call), Happening::Exit(left)) if call == left => {
                event.is_own
                    && does(event.thread)
                    && self.known(party, event.thread)
            }
            (Deed::Stamps(name), Happening::Stamp(said)) if name == said => {
                does(event.thread) && self.known(party, event.thread)
            }
            (Deed::Runs, Happening::Switch { next, .. }) => {
                does(next) && next != 0 && self.known(party, next)
            }
            (Deed::RunsElsewhere, Happening::Switch { next, .. }) => {
                let was_on = self.cores.get(&next);
                does(next)
                    && next != 0
                    && was_on.is_some_and(|&core| event.core != Some(core))
                    && self.known(party, next)
            }
            (Deed::WakesAnybody, Happening::Waking(_)) => {
                event.is_own
                    && does(event.thread)
                    && self.known(party, event.thread)
            }
            (Deed::Wakes, Happening::Waking(thread)) => {
                let other = match party {
                    Party::Waker => Party::Woken,
                    Party::Woken => Party::Waker,
                    Party::Anybody => Party::Anybody,
                };
                does(event.thread)
                    && self.may_be(other, thread)
                    && self.known(other, thread)
            }
            (Deed::IsWoken, Happening::Waking(thread)) => {
                does(thread) && self.known(party, thread)
            }
            (
                Deed::Sleeps,
                Happening::Switch { leaves: Leaves::Asleep, .. },
            ) => {
                event.is_own
                    && does(event.thread)
                    && self.known(party, event.thread)
            }
            (Deed::Interrupts, Happening::InterruptSent) => does(event.thread),
            (Deed::TimerInterrupt, Happening::TimerInterrupt) => {
                let thread = match party {
                    Party::Woken => self.woken,
                    Party::Waker | Party::Anybody => Some(self.waker),
                };
                let core = thread.and_then(|thread| self.cores.get(&thread));
                core.is_some_and(|&core| event.core == Some(core))
            }
            _ => false,
        }
    }

    fn may_be(&self, party: Party, thread: ThreadId) -> bool {
        match (party, self.woken) {
            (Party::Anybody, _) => true,
            (Party::Waker, _) => thread == self.waker,
            (Party::Woken, Some(woken)) => thread == woken,
            (Party::Woken, None) => thread != self.waker,
        }
    }

    /// Notes who is woken; always true.
    fn known(&mut self, party: Party, thread: ThreadId) -> bool {
        if party == Party::Woken {
            self.woken = Some(thread);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ThreadId = 11;
    const B: ThreadId = 12;

    fn event(time: u64, thread: ThreadId, what: Happening) -> KernelEvent {
        KernelEvent { time, core: Some(0), thread, is_own: thread > 10, what }
    }

    fn hop() -> (Moment, Vec<Sought>) {
        let step = |until, may_be_missing| Sought { until, may_be_missing };
        let steps = vec![
            step(Party::Waker.wakes(), false),
            step(Party::Waker.interrupts(), true),
            step(Party::Woken.runs(), false),
            step(Party::Woken.returns_from("read"), false),
        ];
        (Party::Waker.enters("write"), steps)
    }

    #[test]
    fn the_steps_add_up_to_the_operation() {
        let (begins, steps) = hop();
        let events = [
            event(100, A, Happening::Enter("write")),
            event(102, 7, Happening::Waking(9)),
            event(107, A, Happening::Waking(B)),
            event(111, A, Happening::InterruptSent),
            event(112, A, Happening::Exit("write")),
            event(
                131,
                0,
                Happening::Switch { next: B, leaves: Leaves::Runnable },
            ),
            event(135, 3, Happening::Exit("read")),
            event(140, B, Happening::Exit("read")),
            event(150, B, Happening::Enter("write")),
        ];
        let found = find_operations(&events, begins, &steps);
        assert_eq!(found.operations.len(), 1);
        assert_eq!(
            found.operations[0].steps,
            [(0, 7), (1, 4), (2, 20), (3, 9)]
        );
        assert_eq!(
            (found.operations[0].length(), found.operations[0].events),
            (40, 8)
        );
        assert_eq!(
            (found.operations[0].waker, found.operations[0].woken),
            (A, Some(B))
        );
    }

    #[test]
    fn a_step_may_be_missing_and_belongs_to_the_next_then() {
        let (begins, steps) = hop();
        let events = [
            event(100, A, Happening::Enter("write")),
            event(107, A, Happening::Waking(B)),
            event(
                131,
                A,
                Happening::Switch { next: B, leaves: Leaves::Asleep },
            ),
            event(140, B, Happening::Exit("read")),
        ];
        let found = find_operations(&events, begins, &steps);
        assert_eq!(found.operations[0].steps, [(0, 7), (2, 24), (3, 9)]);
    }

    #[test]
    fn what_begins_anew_before_its_end_is_no_operation() {
        let (begins, steps) = hop();
        let events = [
            event(100, A, Happening::Enter("write")),
            event(120, A, Happening::Enter("write")),
            event(127, A, Happening::Waking(B)),
            event(
                131,
                A,
                Happening::Switch { next: B, leaves: Leaves::Asleep },
            ),
            event(140, B, Happening::Exit("read")),
        ];
        let found = find_operations(&events, begins, &steps);
        assert_eq!(
            found.operations.iter().map(|of| of.began).collect::<Vec<_>>(),
            [120]
        );
    }

    #[test]
    fn of_what_does_not_end_the_last_step_is_told() {
        let (begins, steps) = hop();
        let mut events = vec![
            event(100, A, Happening::Enter("write")),
            event(107, A, Happening::Waking(B)),
        ];
        let found = find_operations(&events, begins, &steps);
        assert_eq!(
            (found.operations.len(), found.lost, found.unfinished),
            (0, 1, Some(0))
        );
        events.truncate(1);
        let found = find_operations(&events, begins, &steps);
        assert_eq!(found.unfinished, None);
    }

    #[test]
    fn a_sleeper_is_woken_by_whoever_it_is() {
        let step = |until| Sought { until, may_be_missing: false };
        let steps = [
            step(Party::Waker.timer_interrupt()),
            step(Party::Waker.is_woken()),
            step(Party::Waker.runs()),
            step(Party::Waker.stamps("awake")),
        ];
        let leaves = Leaves::Runnable;
        let events = [
            event(90, A, Happening::Switch { next: 0, leaves: Leaves::Asleep }),
            event(100, A, Happening::Stamp("due")),
            // That of another core.
            KernelEvent {
                core: Some(1),
                ..event(120, B, Happening::TimerInterrupt)
            },
            event(150, 0, Happening::TimerInterrupt),
            event(151, 0, Happening::Waking(B)),
            event(152, 0, Happening::Waking(A)),
            event(160, 0, Happening::Switch { next: A, leaves }),
            event(165, A, Happening::Stamp("awake")),
        ];
        let found =
            find_operations(&events, Party::Waker.stamps("due"), &steps);
        assert_eq!(
            found.operations[0].steps,
            [(0, 50), (1, 2), (2, 8), (3, 5)]
        );
    }

    #[test]
    fn who_sleeps_leaves_its_core_and_who_is_preempted_does_not() {
        let step = |until| Sought { until, may_be_missing: false };
        let switch = |leaves| Happening::Switch { next: 0, leaves };
        let events = [
            event(100, A, Happening::Enter("futex")),
            event(110, A, switch(Leaves::Runnable)),
            event(120, B, switch(Leaves::Asleep)),
            event(130, A, switch(Leaves::Asleep)),
        ];
        let found = find_operations(
            &events,
            Party::Waker.enters("futex"),
            &[step(Party::Waker.sleeps())],
        );
        assert_eq!(found.operations[0].length(), 30);
    }

    #[test]
    fn who_goes_on_on_another_core_has_moved() {
        let step = |until, may_be_missing| Sought { until, may_be_missing };
        let steps = [
            step(Party::Woken.runs(), false),
            step(Party::Waker.runs_elsewhere(), true),
            step(Party::Waker.stamps("written"), false),
        ];
        let on = |core, time, thread, what| KernelEvent {
            core: Some(core),
            ..event(time, thread, what)
        };
        let switch = |next, leaves| Happening::Switch { next, leaves };
        let moved = |to| {
            let events = [
                event(100, A, Happening::Stamp("write")),
                on(0, 105, A, Happening::Waking(B)),
                on(0, 110, A, switch(B, Leaves::Runnable)),
                on(to, 130, 0, switch(A, Leaves::Runnable)),
                event(150, A, Happening::Stamp("written")),
            ];
            let begins = Party::Waker.stamps("write");
            let found = find_operations(&events, begins, &steps);
            found.operations[0].way()
        };
        assert_eq!(moved(1), [0, 1, 2]);
        assert_eq!(moved(0), [0, 2]);
    }

    #[test]
    fn anybody_may_do_what_anybody_is_asked_for() {
        let step = |until| Sought { until, may_be_missing: false };
        let steps = [
            step(Party::Woken.wakes_anybody()),
            step(Party::Anybody.stamps("read")),
        ];
        const C: ThreadId = 13;
        let events = [
            event(100, A, Happening::Stamp("write")),
            event(104, A, Happening::Waking(B)),
            event(110, B, Happening::Waking(C)),
            event(120, C, Happening::Stamp("read")),
        ];
        let begins = Party::Waker.stamps("write");
        let found = find_operations(&events, begins, &steps);
        let FoundOperation { steps, woken, .. } = &found.operations[0];
        assert_eq!((&steps[..], *woken), (&[(0, 10), (1, 10)][..], Some(B)));
    }

    #[test]
    fn without_a_waking_the_first_other_thread_is_the_woken() {
        let last = Sought {
            until: Party::Woken.returns_from("read"),
            may_be_missing: false,
        };
        let events = [
            event(100, A, Happening::Enter("write")),
            event(110, A, Happening::Exit("read")),
            event(140, B, Happening::Exit("read")),
        ];
        let found =
            find_operations(&events, Party::Waker.enters("write"), &[last]);
        assert_eq!(found.operations[0].length(), 40);
    }
}
