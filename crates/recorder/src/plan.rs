//! What is recorded of a cell: where an operation begins, and its steps.

use std::collections::BTreeSet;

use crate::event::{EventKind, ALL_KINDS, INTERRUPT_SENT, TIMER_INTERRUPT};

/// One of the two units of a recorded operation, or any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The one with which the operation begins.
    Waker,
    /// The other: the one that the waker wakes or starts or, where it is not seen to, the first other
    /// thread of the process that does what a step asks of it.
    Woken,
    /// Any thread of the process, where it is not known beforehand which one it will be.
    Anybody,
}

/// Something that a party does, or that happens to it.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub(crate) party: Party,
    pub(crate) kind: EventKind,
    pub(crate) part: Part,
}

/// Which part a party has in an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Does,
    Sleeps,
    /// It loses its core, and would go on.
    IsPreempted,
    WakesOther,
    /// It is woken, or switched to.
    Undergoes,
    OnItsCore,
}

impl Party {
    fn does(self, kind: EventKind) -> Moment {
        Moment { party: self, kind, part: Part::Does }
    }

    /// It enters a system call, by its name.
    pub fn enters(self, call: &'static str) -> Moment {
        self.does(EventKind::Enter(call))
    }

    /// It returns from a system call.
    pub fn returns_from(self, call: &'static str) -> Moment {
        self.does(EventKind::Exit(call))
    }

    /// It wakes the other, or starts it.
    pub fn wakes(self) -> Moment {
        Moment { part: Part::WakesOther, ..self.wakes_anybody() }
    }

    /// It wakes any thread, be it the other or not.
    pub fn wakes_anybody(self) -> Moment {
        self.does(EventKind::Waking)
    }

    /// It is woken, by whoever it is: the kernel wakes whom a timer is due for.
    pub fn is_woken(self) -> Moment {
        Moment { part: Part::Undergoes, ..self.wakes_anybody() }
    }

    /// It sends an interrupt to another core.
    pub fn interrupts(self) -> Moment {
        self.does(INTERRUPT_SENT)
    }

    /// A core begins to run it.
    pub fn runs(self) -> Moment {
        Moment { part: Part::Undergoes, ..self.does(EventKind::Switch) }
    }

    /// The core on which it was last takes an interrupt of its timer.
    pub fn timer_interrupt(self) -> Moment {
        Moment { part: Part::OnItsCore, ..self.does(TIMER_INTERRUPT) }
    }

    /// It goes to sleep, and leaves its core.
    pub fn sleeps(self) -> Moment {
        Moment { part: Part::Sleeps, ..self.does(EventKind::Switch) }
    }

    /// It has to leave its core, and doesn't sleep: another thread runs, or its group is stopped.
    pub fn is_preempted(self) -> Moment {
        Moment { part: Part::IsPreempted, ..self.does(EventKind::Switch) }
    }

    /// It calls [`stamp`](crate::stamp()) with this name.
    pub fn stamps(self, name: &'static str) -> Moment {
        self.does(EventKind::Stamp(name))
    }
}

/// What is recorded of a cell.
///
/// An operation begins with a moment, and each of its steps ends with one. So the steps add up to the
/// operation. Those of most operations are the same; others, in which a step that may be missing is there or
/// not, are counted and left out. Where many are lost since the kernel does not tell what a core does, nothing
/// is recorded: those that are seen need not be like the others.
///
/// An event of the kernel's costs some tenths of a microsecond. Of an operation that takes less than five,
/// only the program's own stamps are recorded: the steps go from stamp to stamp then.
pub struct RecordingPlan {
    pub(crate) operation: &'static str,
    pub(crate) parties: [String; 2],
    /// Behind the one with which the operation begins.
    pub(crate) steps: Vec<PlannedStep>,
    calls: BTreeSet<&'static str>,
    pub(crate) batch: u64,
    pub(crate) is_apart: bool,
    pub(crate) is_alike_on_all_cores: bool,
}

/// A step of an operation, from the moment before it to its own, and what that is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedStep {
    pub(crate) name: &'static str,
    pub(crate) until: Moment,
    pub(crate) may_be_missing: bool,
}

impl RecordingPlan {
    /// A plan to record what one `operation` is, such as a `hop`, between two units that are called so. It
    /// begins with a moment, which has a name as well, such as `write`.
    pub fn of(
        operation: &'static str,
        parties: [&str; 2],
        name: &'static str,
        begins: Moment,
    ) -> RecordingPlan {
        RecordingPlan {
            operation,
            parties: parties.map(str::to_owned),
            steps: Vec::new(),
            calls: BTreeSet::new(),
            batch: 2,
            is_apart: false,
            is_alike_on_all_cores: false,
        }
        .until(name, begins)
    }

    /// The next step, until a moment that is called so. The step is named after this moment and the one
    /// before it: `write to waking`.
    pub fn until(mut self, name: &'static str, until: Moment) -> RecordingPlan {
        if let EventKind::Enter(call) | EventKind::Exit(call) = until.kind {
            self.calls.insert(call);
        }
        self.steps.push(PlannedStep { name, until, may_be_missing: false });
        self
    }

    /// The same where an operation may do without this moment: the next step follows on the one before it
    /// then.
    pub fn until_perhaps(self, name: &'static str, moment: Moment) -> RecordingPlan {
        let mut plan = self.until(name, moment);
        plan.steps.last_mut().expect("it was added").may_be_missing = true;
        plan
    }

    /// System calls that are named in the picture besides those of the steps.
    pub fn with_calls(mut self, calls: &[&'static str]) -> RecordingPlan {
        self.calls.extend(calls);
        self
    }

    /// Says that other things are done between the operations, such as resting: what they take when nothing
    /// is recorded is not known then.
    pub fn apart(self) -> RecordingPlan {
        RecordingPlan { is_apart: true, ..self }
    }

    /// Says that operations are alike from whichever core they go to whichever, so that those that can be seen
    /// tell of the others as well: the kernel may not tell what one of the cores does.
    pub fn alike_on_all_cores(self) -> RecordingPlan {
        RecordingPlan { is_alike_on_all_cores: true, ..self }
    }

    /// How many operations of the cell's body are recorded at a time: as many as fit into the kernel's
    /// buffer. Two unless told.
    pub fn in_batches_of(self, batch: u64) -> RecordingPlan {
        assert!(batch > 0, "an operation at least is recorded");
        RecordingPlan { batch, ..self }
    }

    /// All that the kernel is to tell.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = EventKind> + '_ {
        let calls = self.calls.iter();
        calls.flat_map(|call| [EventKind::Enter(call), EventKind::Exit(call)]).chain(ALL_KINDS)
    }

    /// The steps from stamp to stamp, if it begins with one and has another.
    pub(crate) fn stamps(&self) -> Option<Vec<PlannedStep>> {
        let is_stamp = |step: &PlannedStep| matches!(step.until.kind, EventKind::Stamp(_));
        let stamps: Vec<_> = self.steps.iter().copied().filter(is_stamp).collect();
        (is_stamp(&self.steps[0]) && stamps.len() > 1).then_some(stamps)
    }
}
