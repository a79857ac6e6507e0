//! What is recorded of a cell: where an operation begins, and its steps.

use std::collections::BTreeSet;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub(super) party: Party,
    pub(super) deed: Deed,
}

/// What a party does, or what happens to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Enters(&'static str),
    Returns(&'static str),
    Wakes,
    WakesAnybody,
    IsWoken,
    Interrupts,
    Runs,
    RunsElsewhere,
    Sleeps,
    Stamps(&'static str),
    TimerInterrupt,
}

impl Party {
    fn does(self, deed: Deed) -> Moment {
        Moment { party: self, deed }
    }

    /// It enters a system call, by its name.
    pub fn enters(self, call: &'static str) -> Moment {
        self.does(Deed::Enters(call))
    }

    /// It returns from a system call.
    pub fn returns_from(self, call: &'static str) -> Moment {
        self.does(Deed::Returns(call))
    }

    /// It wakes the other, or starts it.
    pub fn wakes(self) -> Moment {
        self.does(Deed::Wakes)
    }

    /// It wakes any thread, be it the other or not.
    pub fn wakes_anybody(self) -> Moment {
        self.does(Deed::WakesAnybody)
    }

    /// It is woken, by whoever it is: the kernel wakes whom a timer is due for.
    pub fn is_woken(self) -> Moment {
        self.does(Deed::IsWoken)
    }

    /// It sends an interrupt to another core.
    pub fn interrupts(self) -> Moment {
        self.does(Deed::Interrupts)
    }

    /// A core begins to run it.
    pub fn runs(self) -> Moment {
        self.does(Deed::Runs)
    }

    /// Another core than the one on which it was begins to run it: it has moved.
    pub fn runs_elsewhere(self) -> Moment {
        self.does(Deed::RunsElsewhere)
    }

    /// The core on which it was last takes an interrupt of its timer.
    pub fn timer_interrupt(self) -> Moment {
        self.does(Deed::TimerInterrupt)
    }

    /// It goes to sleep, and leaves its core.
    pub fn sleeps(self) -> Moment {
        self.does(Deed::Sleeps)
    }

    /// It calls [`stamp`](crate::stamp()) with this name.
    pub fn stamps(self, name: &'static str) -> Moment {
        self.does(Deed::Stamps(name))
    }
}

/// What is recorded of a cell, as a cell takes it.
///
/// An operation begins with a moment, and each of its steps ends with one. So the steps add up to the
/// operation. Those of most operations are the same; others, in which a step that may be missing is there or
/// not, are counted and left out. Where many are lost since the kernel does not tell what a core does, nothing
/// is recorded: those that are seen need not be like the others.
///
/// An event of the kernel's costs some tenths of a microsecond. Of an operation that takes less than five,
/// only the program's own stamps are recorded: the steps go from stamp to stamp then.
pub struct RecordingPlan {
    /// What one operation is called: `hop`.
    pub operation: String,
    pub(super) parties: [String; 2],
    begins: NamedMoment,
    steps: Vec<PlannedStep>,
    also: Vec<&'static str>,
    pub(super) batch: u64,
    pub(super) is_apart: bool,
    pub(super) is_alike_on_all_cores: bool,
}

/// A moment as it is called: `waking`.
struct NamedMoment {
    name: String,
    moment: Moment,
}

/// A step of an operation: from the moment before it to its own.
struct PlannedStep {
    until: NamedMoment,
    may_be_missing: bool,
}

/// A step as it is looked for among events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought {
    pub(super) until: Moment,
    pub(super) may_be_missing: bool,
}

/// What is followed of a plan: all of it, or its stamps.
pub(super) struct Followed<'a> {
    begins: &'a NamedMoment,
    steps: Vec<&'a PlannedStep>,
    last: Moment,
}

impl RecordingPlan {
    /// A plan to record what one `operation` is, such as a `hop`, between two units that are called so. It
    /// begins with a moment, which has a name as well, such as `write`.
    pub fn of(
        operation: &str,
        [waker, woken]: [&str; 2],
        name: &str,
        begins: Moment,
    ) -> RecordingPlan {
        RecordingPlan {
            operation: operation.to_owned(),
            parties: [waker.to_owned(), woken.to_owned()],
            begins: NamedMoment { name: name.to_owned(), moment: begins },
            steps: Vec::new(),
            also: Vec::new(),
            batch: 2,
            is_apart: false,
            is_alike_on_all_cores: false,
        }
    }

    /// The next step, until a moment that is called so. The step is named after this moment and the one
    /// before it: `write to waking`.
    pub fn until(self, name: &str, moment: Moment) -> RecordingPlan {
        self.and(name, moment, false)
    }

    /// The same where an operation may do without this moment: the next step follows on the one before it
    /// then.
    pub fn until_perhaps(self, name: &str, moment: Moment) -> RecordingPlan {
        self.and(name, moment, true)
    }

    fn and(
        mut self,
        name: &str,
        moment: Moment,
        may_be_missing: bool,
    ) -> RecordingPlan {
        let until = NamedMoment { name: name.to_owned(), moment };
        self.steps.push(PlannedStep { until, may_be_missing });
        self
    }

    /// System calls that are named in the picture besides those of the steps.
    pub fn with_calls(mut self, calls: &[&'static str]) -> RecordingPlan {
        self.also.extend(calls);
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
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn in_batches_of(self, batch: u64) -> RecordingPlan {
        assert!(batch > 0, "an operation at least is recorded");
        RecordingPlan { batch, ..self }
    }

    /// The system calls by which all its moments are known.
    pub(super) fn calls(&self) -> Vec<&'static str> {
        let steps = self.steps.iter().map(|step| &step.until);
        let moments = std::iter::once(&self.begins).chain(steps);
        let calls = moments.filter_map(|named| named.moment.call());
        let calls = calls.chain(self.also.iter().copied());
        calls.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// All of it, if it has steps.
    pub(super) fn followed(&self) -> Option<Followed<'_>> {
        self.with_steps(self.steps.iter().collect())
    }

    /// Its stamps alone, if it begins with one and has another.
    pub(super) fn stamps(&self) -> Option<Followed<'_>> {
        let steps = self.steps.iter();
        let stamps = steps.filter(|step| step.until.moment.is_stamp());
        let followed = self.with_steps(stamps.collect());
        followed.filter(|of| of.begins.moment.is_stamp())
    }

    fn with_steps<'a>(
        &'a self,
        steps: Vec<&'a PlannedStep>,
    ) -> Option<Followed<'a>> {
        let last = steps.last()?.until.moment;
        Some(Followed { begins: &self.begins, steps, last })
    }
}

impl Followed<'_> {
    pub(super) fn begins(&self) -> Moment {
        self.begins.moment
    }

    /// With what it begins, and with what it ends.
    pub(super) fn ends(&self) -> [Moment; 2] {
        [self.begins.moment, self.last]
    }

    /// The whole operation as one step.
    pub(super) fn whole(&self) -> [Sought; 1] {
        [Sought { until: self.last, may_be_missing: false }]
    }

    pub(super) fn steps(&self) -> Vec<Sought> {
        let steps = self.steps.iter();
        let sought = |step: &&PlannedStep| Sought {
            until: step.until.moment,
            may_be_missing: step.may_be_missing,
        };
        steps.map(sought).collect()
    }

    /// What the moment is called with which a step ends.
    pub(super) fn name_of(&self, step: usize) -> &str {
        &self.steps[step].until.name
    }

    /// What the steps are called of an operation that has these.
    pub(super) fn step_names(&self, way: &[usize]) -> Vec<String> {
        let mut before = &self.begins.name;
        let mut names = Vec::new();
        for &step in way {
            let name = &self.steps[step].until.name;
            names.push(format!("{before} to {name}"));
            before = name;
        }
        names
    }
}

impl Moment {
    fn call(self) -> Option<&'static str> {
        match self.deed {
            Deed::Enters(call) | Deed::Returns(call) => Some(call),
            _ => None,
        }
    }

    fn is_stamp(self) -> bool {
        matches!(self.deed, Deed::Stamps(_))
    }
}
