//! The plan for recording a cell: where an operation begins, and its steps.

use std::collections::BTreeSet;

use crate::event::{EventKind, ALL_KINDS, INTERRUPT_SENT, TIMER_INTERRUPT};

/// One of the two units of a recorded operation, or any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The unit that begins the operation.
    Waker,
    /// The other unit: the one that the waker wakes or starts or, if that isn't seen, the first
    /// other thread of the process that does what a step requires.
    Woken,
    /// Any thread of the process, if it isn't known beforehand which one it will be.
    Anybody,
}

/// Something that a party does, or that happens to it.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub(crate) party: Party,
    pub(crate) kind: EventKind,
    pub(crate) part: Part,
}

/// The role of a party in an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Does,
    Sleeps,
    WakesOther,
    /// The party is woken or switched to.
    Undergoes,
    OnItsCore,
}

impl Party {
    fn does(self, kind: EventKind) -> Moment {
        Moment { party: self, kind, part: Part::Does }
    }

    /// The party enters the system call `call`.
    pub fn enters(self, call: &'static str) -> Moment {
        self.does(EventKind::Enter(call))
    }

    /// The party returns from the system call `call`.
    pub fn returns_from(self, call: &'static str) -> Moment {
        self.does(EventKind::Exit(call))
    }

    /// The party wakes the other party, or starts it.
    pub fn wakes(self) -> Moment {
        Moment { part: Part::WakesOther, ..self.wakes_anybody() }
    }

    /// The party wakes any thread, whether the other party or not.
    pub fn wakes_anybody(self) -> Moment {
        self.does(EventKind::Waking)
    }

    /// The party is woken by any thread or by the kernel, which wakes threads whose timer is due.
    pub fn is_woken(self) -> Moment {
        Moment { part: Part::Undergoes, ..self.wakes_anybody() }
    }

    /// The party sends an interrupt to another core.
    pub fn interrupts(self) -> Moment {
        self.does(INTERRUPT_SENT)
    }

    /// A core starts to run the party.
    pub fn runs(self) -> Moment {
        Moment { part: Part::Undergoes, ..self.does(EventKind::Switch) }
    }

    /// The core on which the party last ran takes a timer interrupt.
    pub fn timer_interrupt(self) -> Moment {
        Moment { part: Part::OnItsCore, ..self.does(TIMER_INTERRUPT) }
    }

    /// The party goes to sleep, and leaves its core.
    pub fn sleeps(self) -> Moment {
        Moment { part: Part::Sleeps, ..self.does(EventKind::Switch) }
    }

    /// The party calls [`stamp`](crate::stamp()) with this name.
    pub fn stamps(self, name: &'static str) -> Moment {
        self.does(EventKind::Stamp(name))
    }
}

/// The plan for recording a cell.
///
/// An operation begins with a moment, and each of its steps ends with a moment, so the steps add
/// up to the operation. The most common sequence of steps counts; operations with other
/// sequences, where an optional step is present or missing, are counted and left out. If many
/// operations are lost because the kernel doesn't report what a core does, the recording fails:
/// the visible ones may not be representative.
///
/// A kernel event costs some tenths of a microsecond. If an operation takes less than five
/// microseconds, only the program's own stamps are recorded, and the steps go from stamp to stamp.
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

/// A step of an operation, from the previous step's moment until its own. `name` is that of its
/// own moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedStep {
    pub(crate) name: &'static str,
    pub(crate) until: Moment,
    pub(crate) may_be_missing: bool,
}

impl RecordingPlan {
    /// Creates a plan to record an `operation`, such as a `hop`, between two units named
    /// `parties`. The operation begins with the moment `begins`, named `name`, such as `write`.
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

    /// Adds a step that ends with the moment `until`, named `name`. The step is named after the
    /// two moments around it: `write to waking`.
    pub fn until(mut self, name: &'static str, until: Moment) -> RecordingPlan {
        if let EventKind::Enter(call) | EventKind::Exit(call) = until.kind {
            self.calls.insert(call);
        }
        self.steps.push(PlannedStep { name, until, may_be_missing: false });
        self
    }

    /// Adds an optional step: in an operation without this moment, the next step follows the
    /// previous one.
    pub fn until_perhaps(self, name: &'static str, moment: Moment) -> RecordingPlan {
        let mut plan = self.until(name, moment);
        plan.steps.last_mut().expect("it was added").may_be_missing = true;
        plan
    }

    /// Names system calls to show in the picture, in addition to those of the steps.
    pub fn with_calls(mut self, calls: &[&'static str]) -> RecordingPlan {
        self.calls.extend(calls);
        self
    }

    /// Declares that other work happens between operations, such as resting, so the time per
    /// operation without recording isn't known.
    pub fn apart(self) -> RecordingPlan {
        RecordingPlan { is_apart: true, ..self }
    }

    /// Declares that operations are alike on all pairs of cores, so that the visible ones represent
    /// all: the kernel may not report what one of the cores does.
    pub fn alike_on_all_cores(self) -> RecordingPlan {
        RecordingPlan { is_alike_on_all_cores: true, ..self }
    }

    /// Sets how many times the cell's body is run while it is recorded: no more than fit into the
    /// kernel's buffer. The default is two.
    pub fn in_batches_of(self, batch: u64) -> RecordingPlan {
        assert!(batch > 0, "an operation at least is recorded");
        RecordingPlan { batch, ..self }
    }

    /// Returns the kinds of events that the kernel has to report.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = EventKind> + '_ {
        let calls = self.calls.iter();
        calls.flat_map(|call| [EventKind::Enter(call), EventKind::Exit(call)]).chain(ALL_KINDS)
    }

    /// Returns the steps from stamp to stamp, if the plan begins with a stamp and has another one.
    pub(crate) fn stamps(&self) -> Option<Vec<PlannedStep>> {
        let is_stamp = |step: &PlannedStep| matches!(step.until.kind, EventKind::Stamp(_));
        let stamps: Vec<_> = self.steps.iter().copied().filter(is_stamp).collect();
        (is_stamp(&self.steps[0]) && stamps.len() > 1).then_some(stamps)
    }
}
