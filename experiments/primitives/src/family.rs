//! The primitives of one library, and the operations on them.

use crate::operations::channels::{self, CAPACITY};
use crate::operations::construction::{made_and_dropped, SMALL, WITH_BUFFER};
use crate::operations::signals::{self, TASKS};
use crate::operations::values::{self, RECEIVERS};
use crate::operations::{contended, locks, How, Taking, Took};
use crate::primitive::{
    Barrier, Broadcast, Channel, Mpmc, Mutex, Notify, OnceCell, Oneshot,
    RwLock, Semaphore, Watch,
};

/// The primitives that one library provides, and the operations on them.
/// Primitives that the library doesn't have are omitted.
pub struct Family {
    pub(crate) name: &'static str,
    pub(crate) operations: Vec<Operation>,
}

/// An operation on a primitive, with the number of times that it is repeated
/// in a measurement.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) times: fn(How) -> u64,
    pub(crate) run: Run,
}

impl Operation {
    /// Returns the first word of the operation's name. Measurements of
    /// operations with the same first word alternate.
    pub(crate) fn kind(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or(self.name)
    }
}

/// The thread or task in which an operation runs.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// Runs the operation on the calling thread.
    Here(fn(How) -> Took),
    /// Runs the operation in the calling task.
    InATask(fn(How) -> Taking),
    /// Runs the operation in tasks that the calling task spawns.
    InTasks(fn(How) -> Taking),
    /// Like `Here`, but creates and drops an object.
    Construction(fn(How) -> Took),
}

impl Run {
    pub(crate) async fn done(self, how: How) -> Took {
        match self {
            Run::Here(run) | Run::Construction(run) => run(how),
            Run::InATask(run) | Run::InTasks(run) => run(how).await,
        }
    }
}

impl Family {
    /// Creates a family for the library `name`, without any primitives.
    pub fn new(name: &'static str) -> Family {
        Family { name, operations: Vec::new() }
    }

    fn with(
        mut self,
        name: &'static str,
        times: fn(How) -> u64,
        run: Run,
    ) -> Family {
        self.operations.push(Operation { name, times, run });
        self
    }

    fn small(self, name: &'static str, make: fn(How) -> Took) -> Family {
        self.with(name, |_| SMALL, Run::Construction(make))
    }

    fn with_buffer(self, name: &'static str, make: fn(How) -> Took) -> Family {
        self.with(name, |_| WITH_BUFFER, Run::Construction(make))
    }

    /// Adds the operations of a mutex.
    pub fn mutex<M: Mutex>(self) -> Family {
        self.with("mutex", locks::times, Run::Here(locks::mutex::<M>))
            .with(
                "mutex contended",
                contended::mutex_times,
                Run::InTasks(contended::mutex::<M>),
            )
            .small("mutex", |_| made_and_dropped(SMALL, M::new))
    }

    /// Adds the operations of a readers-writer lock.
    pub fn rwlock<L: RwLock>(self) -> Family {
        self.with(
            "rwlock read",
            locks::times,
            Run::Here(locks::rwlock_read::<L>),
        )
        .with("rwlock write", locks::times, Run::Here(locks::rwlock_write::<L>))
        .with(
            "rwlock contended",
            contended::rwlock_times,
            Run::InTasks(contended::rwlock::<L>),
        )
        .small("rwlock", |_| made_and_dropped(SMALL, L::new))
    }

    /// Adds the operations of a semaphore.
    pub fn semaphore<S: Semaphore>(self) -> Family {
        self.with("semaphore", locks::times, Run::Here(locks::semaphore::<S>))
            .with(
                "semaphore contended",
                contended::semaphore_times,
                Run::InTasks(contended::semaphore::<S>),
            )
            .small("semaphore", |_| made_and_dropped(SMALL, || S::new(1)))
    }

    /// Adds the operations of a bounded channel.
    pub fn channel<C: Channel>(self) -> Family {
        self.with(
            "channel send",
            channels::times,
            Run::Here(channels::send::<C>),
        )
        .with("channel recv", channels::times, Run::Here(channels::recv::<C>))
        .with(
            "channel roundtrip",
            channels::times,
            Run::Here(channels::round_trip::<C>),
        )
        .with_buffer("channel", |_| {
            made_and_dropped(WITH_BUFFER, || C::bounded(CAPACITY))
        })
    }

    /// Adds a bounded channel between tasks, with many senders and many
    /// receivers.
    pub fn mpmc<C: Mpmc>(self) -> Family {
        self.with(
            "channel mpmc",
            channels::mpmc_times,
            Run::InTasks(channels::mpmc::<C>),
        )
    }

    /// Adds a oneshot channel, which carries one message.
    pub fn oneshot<O: Oneshot>(self) -> Family {
        self.with(
            "oneshot",
            values::oneshot_times,
            Run::Here(values::oneshot::<O>),
        )
        .small("oneshot", |_| made_and_dropped(SMALL, O::new))
    }

    /// Adds a broadcast channel, which delivers each message to all
    /// receivers.
    pub fn broadcast<B: Broadcast>(self) -> Family {
        self.with(
            "broadcast",
            values::message_times,
            Run::Here(values::broadcast::<B>),
        )
        .with_buffer("broadcast", |_| {
            made_and_dropped(WITH_BUFFER, || B::new(CAPACITY, RECEIVERS))
        })
    }

    /// Adds a watch channel, which holds only the latest value.
    pub fn watch<W: Watch>(self) -> Family {
        self.with("watch", values::message_times, Run::Here(values::watch::<W>))
            .small("watch", |_| made_and_dropped(SMALL, W::new))
    }

    /// Adds a cell whose value is set once.
    pub fn oncecell<C: OnceCell>(self) -> Family {
        self.with(
            "oncecell get",
            values::get_times,
            Run::Here(values::get::<C>),
        )
        .with("oncecell set", values::set_times, Run::Here(values::set::<C>))
        .small("oncecell", |_| made_and_dropped(SMALL, C::new))
    }

    /// Adds a barrier at which tasks wait for each other.
    pub fn barrier<B: Barrier>(self) -> Family {
        self.with(
            "barrier",
            signals::times,
            Run::InATask(signals::barrier_of_one::<B>),
        )
        .with(
            "barrier of four",
            signals::meetings,
            Run::InTasks(signals::barrier::<B>),
        )
        .small("barrier", |_| made_and_dropped(SMALL, || B::new(TASKS)))
    }

    /// Adds a notification that one task sends to another.
    pub fn notify<N: Notify>(self) -> Family {
        self.with("notify", signals::times, Run::InATask(signals::notify::<N>))
            .small("notify", |_| made_and_dropped(SMALL, N::new))
    }
}
