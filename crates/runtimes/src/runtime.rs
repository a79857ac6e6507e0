//! What is known of every runtime.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A task that may move between threads.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Makes, on the thread where it is to stay, a task.
pub type LocalTask = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// A runtime, by default one whose tasks may move between threads.
pub struct Runtime<T = Task> {
    pub(crate) name: &'static str,
    pub(crate) has_one_thread: bool,
    /// By its name, as what follows.
    pub(crate) start: fn(&'static str) -> Result<(), String>,
    pub(crate) run: fn(&'static str, T),
}

/// A runtime whose tasks stay on their thread.
pub type LocalRuntime = Runtime<LocalTask>;

impl<T> Runtime<T> {
    /// The contender's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether all its tasks run on one thread, whatever the machine.
    pub const fn has_one_thread(&self) -> bool {
        self.has_one_thread
    }

    /// Starts it, if it does not run already.
    ///
    /// # Errors
    ///
    /// If it cannot be built here, with the reason, and what to do where that is known.
    pub fn start(&self) -> Result<(), String> {
        (self.start)(self.name)
    }

    /// Runs a task on one of its own threads, and returns when it is done. The calling thread waits
    /// for it asleep.
    ///
    /// # Panics
    ///
    /// If the task does, or if the runtime cannot be started: once another task's panic has taken it
    /// along, it is started anew.
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
    /// Two are the same if they are started in the same way: a contender may be, in several.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.start, other.start) && self.name == other.name
    }
}
