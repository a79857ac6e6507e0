//! Finds the operations that match a plan in a list of events.

use recordings::timeline::Doing;

use crate::event::{KernelEvent, ThreadId};
use crate::plan::{Moment, Part, Party, PlannedStep};

#[derive(Debug)]
pub(crate) struct FoundOperation {
    /// The indices of the operation's first and last events.
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The index of each step that the operation went through, and the step's time in
    /// nanoseconds.
    pub(crate) steps: Vec<(usize, u64)>,
    /// The thread that began the operation, and the thread that it woke, if any.
    pub(crate) waker: ThreadId,
    pub(crate) woken: Option<ThreadId>,
}

impl FoundOperation {
    pub(crate) fn length(&self) -> u64 {
        self.steps.iter().map(|(_, took)| took).sum()
    }

    /// Returns the indices of the steps that the operation went through.
    pub(crate) fn way(&self) -> Vec<usize> {
        self.steps.iter().map(|(step, _)| *step).collect()
    }
}

#[derive(Debug, Default)]
pub(crate) struct FoundOperations {
    pub(crate) operations: Vec<FoundOperation>,
    /// The number of operations that began but didn't end.
    pub(crate) lost: usize,
    /// The index of the last step that any of the unfinished operations reached.
    pub(crate) unfinished: Option<usize>,
}

/// Finds all operations in `events` that go through `steps`, beginning with the first step. The
/// events are sorted by time. An operation that begins again before it has ended is counted as
/// lost.
pub(crate) fn find_operations(events: &[KernelEvent], steps: &[PlannedStep]) -> FoundOperations {
    let mut found = FoundOperations::default();
    for (first, event) in events.iter().enumerate() {
        let mut parties = Parties { events, waker: event.thread, woken: None };
        if !(event.is_own && parties.is_it(steps[0].until, first)) {
            continue;
        }
        match parties.follow(first, steps) {
            Ok(operation) => found.operations.push(operation),
            Err(last) => {
                found.lost += 1;
                found.unfinished = found.unfinished.max(last);
            }
        }
    }
    found
}

/// The threads that take part in an operation, as far as they are known.
struct Parties<'a> {
    events: &'a [KernelEvent],
    waker: ThreadId,
    woken: Option<ThreadId>,
}

impl Parties<'_> {
    /// Follows the operation that begins at event `first`. If the operation doesn't end, returns
    /// the last step that it reached.
    fn follow(
        mut self,
        first: usize,
        steps: &[PlannedStep],
    ) -> Result<FoundOperation, Option<usize>> {
        let mut since = self.events[first].time;
        let mut next = 1;
        let mut taken: Vec<(usize, u64)> = Vec::new();
        for (last, event) in self.events.iter().enumerate().skip(first + 1) {
            let must_come = steps[next..].iter().position(|step| !step.may_be_missing);
            let mut may_come = next..=next + must_come.unwrap_or(0);
            if let Some(step) = may_come.find(|&step| self.is_it(steps[step].until, last)) {
                taken.push((step, event.time - since));
                (next, since) = (step + 1, event.time);
                if next == steps.len() {
                    let Parties { waker, woken, .. } = self;
                    return Ok(FoundOperation { first, last, steps: taken, waker, woken });
                }
            } else if event.thread == self.waker && self.is_it(steps[0].until, last) {
                break;
            }
        }
        Err(taken.last().map(|(step, _)| *step))
    }

    /// Returns whether the event at index `place` is this moment of the plan.
    fn is_it(&mut self, Moment { party, kind, part }: Moment, place: usize) -> bool {
        let events = self.events;
        let event = &events[place];
        if kind != event.kind {
            return false;
        }
        match part {
            Part::Does => event.is_own && self.is(party, event.thread),
            Part::Sleeps => {
                event.is_own && event.then == Some(Doing::Asleep) && self.is(party, event.thread)
            }
            Part::WakesOther => {
                let other = if party == Party::Woken { Party::Waker } else { Party::Woken };
                self.may_be(party, event.thread) && self.is(other, event.other)
            }
            Part::Undergoes => event.other != 0 && self.is(party, event.other),
            Part::OnItsCore => {
                let is_there =
                    |of: &&KernelEvent| of.core.is_some() && self.may_be(party, of.thread);
                let last = events[..place].iter().rev().find(is_there);
                last.is_some_and(|last| last.core == event.core)
            }
        }
    }

    fn may_be(&self, party: Party, thread: ThreadId) -> bool {
        match party {
            Party::Anybody => true,
            Party::Waker => thread == self.waker,
            Party::Woken => self.woken.map_or(thread != self.waker, |woken| thread == woken),
        }
    }

    /// Returns whether `thread` may have the role `party`. The role of the woken thread goes to
    /// the first thread that may have it.
    fn is(&mut self, party: Party, thread: ThreadId) -> bool {
        let is_it = self.may_be(party, thread);
        if is_it && party == Party::Woken {
            self.woken = Some(thread);
        }
        is_it
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::events;
    use crate::plan::RecordingPlan;

    const WAKER: Party = Party::Waker;
    const WOKEN: Party = Party::Woken;

    /// A test case: a rule in words, a plan and the recorded events, followed by the expected
    /// steps, the number of events from first to last, and the woken thread.
    type Case = (
        &'static str,
        RecordingPlan,
        &'static str,
        &'static [(usize, u64)],
        usize,
        Option<ThreadId>,
    );

    fn begins(moment: Moment) -> RecordingPlan {
        RecordingPlan::of("hop", ["writer", "reader"], "begin", moment)
    }

    fn hop() -> RecordingPlan {
        begins(WAKER.enters("write"))
            .until("waking", WAKER.wakes())
            .until_perhaps("interrupt", WAKER.interrupts())
            .until("running", WOKEN.runs())
            .until("return", WOKEN.returns_from("read"))
    }

    #[test]
    fn an_operation_has_the_steps_of_its_plan() {
        let sleep = begins(WAKER.stamps("due"))
            .until("timer", WAKER.timer_interrupt())
            .until("waking", WAKER.is_woken())
            .until("running", WAKER.runs())
            .until("awake", WAKER.stamps("awake"));
        let nap = begins(WAKER.enters("futex")).until("asleep", WAKER.sleeps());
        let anybody = begins(WAKER.stamps("write"))
            .until("waking", WOKEN.wakes_anybody())
            .until("read", Party::Anybody.stamps("read"));
        let unseen = begins(WAKER.enters("write")).until("return", WOKEN.returns_from("read"));
        let cases: [Case; 7] = [
            (
                "what others do is none of its steps",
                hop(),
                "100 0 11 enters write
                 102 0 7 wakes 9
                 107 0 11 wakes 12
                 111 0 11 interrupt sent
                 112 0 11 returns write
                 131 1 0 preempted 12
                 135 1 3 returns read
                 140 1 12 returns read
                 150 1 12 enters write",
                &[(1, 7), (2, 4), (3, 20), (4, 9)],
                8,
                Some(12),
            ),
            (
                "a step that is missing belongs to the next one",
                hop(),
                "100 0 11 enters write
                 107 0 11 wakes 12
                 131 0 11 asleep 12
                 140 0 12 returns read",
                &[(1, 7), (3, 24), (4, 9)],
                4,
                Some(12),
            ),
            (
                "what begins anew before its end is none",
                hop(),
                "100 0 11 enters write
                 120 0 11 enters write
                 127 0 11 wakes 12
                 131 0 11 asleep 12
                 140 0 12 returns read",
                &[(1, 7), (3, 4), (4, 9)],
                4,
                Some(12),
            ),
            (
                "a sleeper is woken by whoever it is, and by the timer of its own core",
                sleep,
                "90 0 11 asleep 0
                 100 - 11 stamps due
                 120 1 12 timer interrupt
                 150 0 0 timer interrupt
                 151 0 0 wakes 12
                 152 0 0 wakes 11
                 160 0 0 preempted 11
                 165 - 11 stamps awake",
                &[(1, 50), (2, 2), (3, 8), (4, 5)],
                7,
                None,
            ),
            (
                "who is preempted does not sleep",
                nap,
                "100 0 11 enters futex
                 110 0 11 preempted 0
                 120 1 12 asleep 0
                 130 0 11 asleep 0",
                &[(1, 30)],
                4,
                None,
            ),
            (
                "anybody may do what anybody is asked for",
                anybody,
                "100 - 11 stamps write
                 104 0 11 wakes 12
                 110 1 12 wakes 13
                 120 - 13 stamps read",
                &[(1, 10), (2, 10)],
                4,
                Some(12),
            ),
            (
                "without a waking the first other thread is the woken",
                unseen,
                "100 0 11 enters write
                 110 0 11 returns read
                 140 1 12 returns read",
                &[(1, 40)],
                3,
                Some(12),
            ),
        ];
        for (rule, plan, text, steps, among, woken) in cases {
            let found = find_operations(&events(text), &plan.steps);
            let [operation] = &found.operations[..] else { panic!("{rule}: {found:?}") };
            assert_eq!(operation.steps, steps, "{rule}");
            assert_eq!(operation.last - operation.first + 1, among, "{rule}");
            assert_eq!((operation.waker, operation.woken), (11, woken), "{rule}");
        }
    }

    #[test]
    fn of_what_does_not_end_the_last_step_is_told() {
        let mut events = events("100 0 11 enters write\n107 0 11 wakes 12");
        let mut last = || {
            let found = find_operations(&events, &hop().steps);
            assert_eq!((found.operations.len(), found.lost), (0, 1));
            events.pop();
            found.unfinished
        };
        assert_eq!((last(), last()), (Some(1), None));
    }
}
