//! A family: one library's primitives, and the operations that they give.

use crate::operations::{contended, locks, How, Taking, Took};
use crate::primitive::{Mutex, RwLock, Semaphore};

/// One library's primitives. What it does not have is left out.
pub struct Family {
    pub(crate) name: &'static str,
    pub(crate) operations: Vec<Operation>,
}

/// What a family can be asked to do.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) times: fn(How) -> u64,
    pub(crate) run: Run,
}

/// Where an operation runs.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// On the thread that asks for it.
    Here(fn(How) -> Took),
    /// In tasks of a runtime.
    InTasks(fn(How) -> Taking),
}

impl Family {
    /// A library of this name.
    pub fn new(name: &'static str) -> Family {
        Family { name, operations: Vec::new() }
    }

    fn here(
        mut self,
        name: &'static str,
        times: fn(How) -> u64,
        run: fn(How) -> Took,
    ) -> Family {
        self.operations.push(Operation { name, times, run: Run::Here(run) });
        self
    }

    fn in_tasks(
        mut self,
        name: &'static str,
        times: fn(How) -> u64,
        run: fn(How) -> Taking,
    ) -> Family {
        self.operations.push(Operation { name, times, run: Run::InTasks(run) });
        self
    }

    /// It has a mutex.
    pub fn mutex<M: Mutex>(self) -> Family {
        self.here("mutex", locks::times, locks::mutex::<M>).in_tasks(
            "mutex contended",
            contended::mutex_times,
            contended::mutex::<M>,
        )
    }

    /// It has a lock of readers and writers.
    pub fn rwlock<L: RwLock>(self) -> Family {
        self.here("rwlock read", locks::times, locks::rwlock_read::<L>)
            .here("rwlock write", locks::times, locks::rwlock_write::<L>)
            .in_tasks(
                "rwlock contended",
                contended::rwlock_times,
                contended::rwlock::<L>,
            )
    }

    /// It has a semaphore.
    pub fn semaphore<S: Semaphore>(self) -> Family {
        self.here("semaphore", locks::times, locks::semaphore::<S>).in_tasks(
            "semaphore contended",
            contended::semaphore_times,
            contended::semaphore::<S>,
        )
    }
}
