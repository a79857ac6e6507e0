//! The parts of a policy: the queues as other threads see them ([`Remote`]),
//! and as their own worker sees them ([`Local`]).

/// Wakes a sleeping worker, or keeps it from sleeping the next time.
pub(crate) type Unpark = Box<dyn Fn() + Send + Sync>;

/// The queues of all workers, as any thread sees them.
pub(crate) trait Remote<T>: Send + Sync {
    /// Returns the worker to which a new task belongs. It is spawned on
    /// worker `here`, or on another thread if `here` is `None`.
    fn home(&self, here: Option<usize>) -> usize;

    /// Queues a task that belongs to worker `home`, and wakes a worker for it.
    fn push(&self, home: usize, task: T);

    /// Takes a task that other threads have queued, or that a worker has left
    /// behind. This is called at the end of the executor, when it has no
    /// workers any more.
    fn pop(&self) -> Option<T>;
}

/// The tasks of one worker, as it sees them on its own thread.
pub(crate) trait Local<T>: Send {
    /// Queues a task that belongs to worker `home`, behind all others.
    fn push(&self, home: usize, task: T);

    /// Returns the next task to poll, or `None` if there is nothing for this
    /// worker to do.
    fn pop(&self) -> Option<T>;

    /// Takes tasks queued by other threads, and puts them behind the worker's
    /// own tasks. Without this, own tasks that wake each other endlessly
    /// would block the others.
    fn take_in(&self);

    /// Announces that the worker, whose `pop` has found nothing, will sleep.
    /// From then on, a push for the worker wakes it. Returns false if
    /// something has been pushed in the meantime, so that the worker must not
    /// sleep.
    fn prepare_to_sleep(&self) -> bool;

    /// Called after sleeping, for whatever reason the worker woke up.
    fn awake(&self);
}
