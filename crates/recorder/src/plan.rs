//! The plan for recording an operation: where the operation begins, and its steps.

use std::collections::BTreeSet;

use crate::event::{EventKind, ALL_KINDS, INTERRUPT_SENT, TIMER_INTERRUPT};

/// One of the two threads of a recorded operation, or any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The thread that begins the operation.
    Waker,
    /// The other thread, which the waker wakes or starts. If no wake-up is recorded, this is the
    /// first other thread of the process that does what a step requires.
    Woken,
    /// Any thread of the process, if it isn't known in advance which one it will be.
    Anybody,
}

/// A moment of the plan: something that a thread does, or that happens to it.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub(crate) party: Party,
    pub(crate) kind: EventKind,
    pub(crate) part: Part,
}

/// The role that a thread has in an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Does,
    Sleeps,
    WakesOther,
    /// The thread is the one that the event wakes, or that a core switches to.
    Undergoes,
    OnItsCore,
}

impl Party {
    fn does(self, kind: EventKind) -> Moment {
        Moment { party: self, kind, part: Part::Does }
    }

    /// The moment when this thread enters the system call `call`.
    pub fn enters(self, call: &'static str) -> Moment {
        self.does(EventKind::Enter(call))
    }

    /// The moment when this thread returns from the system call `call`.
    pub fn returns_from(self, call: &'static str) -> Moment {
        self.does(EventKind::Exit(call))
    }

    /// The moment when this thread wakes or starts the other thread of the operation.
    pub fn wakes(self) -> Moment {
        Moment { part: Part::WakesOther, ..self.wakes_anybody() }
    }

    /// The moment when this thread wakes any thread, not necessarily the operation's other
    /// thread.
    pub fn wakes_anybody(self) -> Moment {
        self.does(EventKind::Waking)
    }

    /// The moment when this thread is woken by a thread, or by the kernel because its timer is
    /// due.
    pub fn is_woken(self) -> Moment {
        Moment { part: Part::Undergoes, ..self.wakes_anybody() }
    }

    /// The moment when this thread sends an interrupt to another core.
    pub fn interrupts(self) -> Moment {
        self.does(INTERRUPT_SENT)
    }

    /// The moment when a core starts to run this thread.
    pub fn runs(self) -> Moment {
        Moment { part: Part::Undergoes, ..self.does(EventKind::Switch) }
    }

    /// The moment when a timer interrupts the core on which this thread last ran.
    pub fn timer_interrupt(self) -> Moment {
        Moment { part: Part::OnItsCore, ..self.does(TIMER_INTERRUPT) }
    }

    /// The moment when this thread goes to sleep and leaves its core.
    pub fn sleeps(self) -> Moment {
        Moment { part: Part::Sleeps, ..self.does(EventKind::Switch) }
    }

    /// The moment when this thread calls [`stamp`](crate::stamp()) with this name.
    pub fn stamps(self, name: &'static str) -> Moment {
        self.does(EventKind::Stamp(name))
    }
}

/// The plan for recording an operation.
///
/// An operation begins with a moment, and each of its steps ends with a moment, so the steps add
/// up to the operation. If a step is optional, operations differ in their steps; only those with
/// the most frequent steps are used, and the others are counted. If many operations are lost
/// because the kernel doesn't report what a core does, recording fails: the remaining ones may
/// not be representative.
///
/// Recording a kernel event costs a few tenths of a microsecond. So for an operation of less than
/// five microseconds, only the program's own timestamps are recorded, and each step leads from
/// one timestamp to the next.
pub struct RecordingPlan {
    pub(crate) operation: &'static str,
    pub(crate) parties: [String; 2],
    /// The beginning of the operation, then its steps.
    pub(crate) steps: Vec<PlannedStep>,
    calls: BTreeSet<&'static str>,
    pub(crate) batch: u64,
    pub(crate) is_apart: bool,
    pub(crate) is_alike_on_all_cores: bool,
}

/// A step of an operation. It lasts from the end of the previous step to the moment `until`,
/// which is called `name`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedStep {
    pub(crate) name: &'static str,
    pub(crate) until: Moment,
    pub(crate) may_be_missing: bool,
}

impl RecordingPlan {
    /// Creates a plan to record `operation`, such as `hop`, between two threads called `parties`.
    /// The operation begins with the moment `begins`, which is called `name`, such as `write`.
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

    /// Adds a step that ends with the moment `until`, which is called `name`. The step is named
    /// after its first and last moments, as in `write to waking`.
    pub fn until(mut self, name: &'static str, until: Moment) -> RecordingPlan {
        if let EventKind::Enter(call) | EventKind::Exit(call) = until.kind {
            self.calls.insert(call);
        }
        self.steps.push(PlannedStep { name, until, may_be_missing: false });
        self
    }

    /// Adds an optional step. If an operation lacks the moment, the next step begins where the
    /// previous one ended.
    pub fn until_perhaps(self, name: &'static str, moment: Moment) -> RecordingPlan {
        let mut plan = self.until(name, moment);
        plan.steps.last_mut().expect("it was added").may_be_missing = true;
        plan
    }

    /// Names system calls to show in the picture, in addition to those that the steps name.
    pub fn with_calls(mut self, calls: &[&'static str]) -> RecordingPlan {
        self.calls.extend(calls);
        self
    }

    /// Declares that the program does something else between operations, such as resting. The
    /// time per operation then can't be measured without recording.
    pub fn apart(self) -> RecordingPlan {
        RecordingPlan { is_apart: true, ..self }
    }

    /// Declares that operations are alike on all pairs of cores. They may then be recorded even
    /// if the kernel doesn't report what one of the cores does, because the visible operations
    /// represent all of them.
    pub fn alike_on_all_cores(self) -> RecordingPlan {
        RecordingPlan { is_alike_on_all_cores: true, ..self }
    }

    /// Sets how many times the operation's code is run while it is recorded; the default is two.
    /// The events of one batch must fit into the kernel's buffer.
    pub fn in_batches_of(self, batch: u64) -> RecordingPlan {
        assert!(batch > 0, "an operation at least is recorded");
        RecordingPlan { batch, ..self }
    }

    /// Returns the kinds of events that the kernel has to report.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = EventKind> + '_ {
        let calls = self.calls.iter();
        calls.flat_map(|call| [EventKind::Enter(call), EventKind::Exit(call)]).chain(ALL_KINDS)
    }

    /// Returns the steps between the program's timestamps. `None` unless the plan begins with a
    /// timestamp and has another one.
    pub(crate) fn stamps(&self) -> Option<Vec<PlannedStep>> {
        let is_stamp = |step: &PlannedStep| matches!(step.until.kind, EventKind::Stamp(_));
        let stamps: Vec<_> = self.steps.iter().copied().filter(is_stamp).collect();
        (is_stamp(&self.steps[0]) && stamps.len() > 1).then_some(stamps)
    }
}
