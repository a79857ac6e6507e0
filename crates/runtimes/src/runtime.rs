//! The description of a runtime. All runtimes have this type.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A task that may move between threads.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A function that creates a task. It is called on the thread on which the task will stay.
pub type LocalTask = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// A runtime for tasks of type `T`. By default, these may move between threads.
pub struct Runtime<T = Task> {
    pub(crate) name: &'static str,
    pub(crate) has_one_thread: bool,
    /// Starts the runtime. The argument is the runtime's name, which is also passed to `run`.
    pub(crate) start: fn(&'static str) -> Result<(), String>,
    pub(crate) run: fn(&'static str, T),
}

/// A runtime whose tasks stay on one thread.
pub type LocalRuntime = Runtime<LocalTask>;

impl<T> Runtime<T> {
    /// The contender's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns whether all tasks of the runtime run on one thread, however many cores there are.
    pub const fn has_one_thread(&self) -> bool {
        self.has_one_thread
    }

    /// Starts the runtime, if it isn't running already.
    ///
    /// # Errors
    ///
    /// Fails if the runtime cannot be built here. The error gives the reason and, if known, a
    /// remedy.
    pub fn start(&self) -> Result<(), String> {
        (self.start)(self.name)
    }

    /// Runs a task on one of the runtime's threads. The calling thread sleeps until the task has
    /// finished.
    ///
    /// # Panics
    ///
    /// Panics if the task panics, or if the runtime cannot be started. A runtime that was
    /// destroyed by a panic is started again by the next call.
    pub fn run(&self, task: T) {
        if let Err(reason) = self.start() {
            panic!("{reason}");
        }
        (self.run)(self.name, task);
    }
}

impl<T> Clone for Runtime<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Runtime<T> {}

impl<T> fmt::Debug for Runtime<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Runtime").field(&self.name).finish()
    }
}

impl<T> fmt::Display for Runtime<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<T> PartialEq for Runtime<T> {
    /// Compares the names of the runtimes and how they are started. The names alone don't
    /// suffice, since one contender may have several runtimes.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.start, other.start) && self.name == other.name
    }
}
