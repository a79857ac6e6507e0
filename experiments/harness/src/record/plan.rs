//! What is recorded of a cell: where an operation begins, and its steps.

use std::collections::BTreeSet;

use crate::body::Body;

/// One of the two units of a recorded operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The one with which the operation begins.
    Waker,
    /// The other: the one that the waker wakes or starts or, where it is not seen to, the first other
    /// thread of the process that does what a step asks of it.
    Woken,
}

/// Something that a party does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub(super) party: Party,
    pub(super) deed: Deed,
}

/// What a party does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Enters(&'static str),
    Returns(&'static str),
    Wakes,
    Interrupts,
    Runs,
    Stamps(&'static str),
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

    /// It sends an interrupt to another core.
    pub fn interrupts(self) -> Moment {
        self.does(Deed::Interrupts)
    }

    /// A core begins to run it.
    pub fn runs(self) -> Moment {
        self.does(Deed::Runs)
    }

    /// It calls [`stamp`](crate::stamp) with this name.
    pub fn stamps(self, name: &'static str) -> Moment {
        self.does(Deed::Stamps(name))
    }
}

/// What is recorded of a cell, as [`Cell::recorded`](crate::Cell::recorded) takes it.
///
/// An operation begins with a moment, and each of its steps ends with one. So the steps add up to the
/// operation. Those of most operations are the same; others, in which a step that may be missing is there or
/// not, are counted and left out.
pub struct RecordingPlan {
    pub(crate) operation: String,
    pub(super) parties: [String; 2],
    pub(super) begins: NamedMoment,
    pub(super) steps: Vec<PlannedStep>,
    also: Vec<&'static str>,
    pub(super) batch: u64,
    own: Option<OwnBody>,
}

/// A moment as it is called: `waking`.
pub(super) struct NamedMoment {
    pub(super) name: String,
    pub(super) moment: Moment,
}

/// A step of an operation: from the moment before it to its own.
pub(super) struct PlannedStep {
    pub(super) until: NamedMoment,
    pub(super) may_be_missing: bool,
}

/// A body that is recorded in place of the cell's.
struct OwnBody {
    body: Body,
    answer: u64,
    per: u64,
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
            own: None,
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

    /// System calls that are named in the picture besides those of the steps.
    pub fn with_calls(mut self, calls: &[&'static str]) -> RecordingPlan {
        self.also.extend(calls);
        self
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

    /// Records another body than the cell's: one that does the same and stamps. Each of its operations
    /// returns `answer` and consists of so many that are recorded.
    pub fn stamped(self, body: Body, answer: u64, per: u64) -> RecordingPlan {
        RecordingPlan { own: Some(OwnBody { body, answer, per }), ..self }
    }

    /// The body that is recorded in place of the cell's, with its answer and how many it has of what is
    /// recorded.
    pub(crate) fn stamped_body(&self) -> Option<(&Body, u64, u64)> {
        self.own.as_ref().map(|own| (&own.body, own.answer, own.per))
    }

    /// The system calls by which all its moments are known.
    pub(super) fn calls(&self) -> Vec<&'static str> {
        let moments = self.moments();
        let calls =
            moments.filter_map(Moment::call).chain(self.also.iter().copied());
        calls.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn moments(&self) -> impl Iterator<Item = &Moment> {
        std::iter::once(&self.begins.moment)
            .chain(self.steps.iter().map(|step| &step.until.moment))
    }

    /// Its beginning and its end, if it has steps.
    pub(super) fn ends(&self) -> Option<(Moment, Moment)> {
        Some((self.begins.moment, self.steps.last()?.until.moment))
    }
}

impl Moment {
    pub(super) fn call(&self) -> Option<&'static str> {
        match self.deed {
            Deed::Enters(call) | Deed::Returns(call) => Some(call),
            Deed::Wakes | Deed::Interrupts | Deed::Runs | Deed::Stamps(_) => {
                None
            }
        }
    }
}
