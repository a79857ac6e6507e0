//! The two halves of a scheduling policy: the queues of all workers, which
//! any thread may use ([`Remote`]), and each worker's own queue ([`Local`]).

/// A function that wakes a sleeping worker. If the worker is awake, its next
/// sleep ends at once.
pub(crate) type Unpark = Box<dyn Fn() + Send + Sync>;

/// The queues of all workers, with the operations that any thread may call.
pub(crate) trait Remote<T>: Send + Sync {
    /// Returns the worker that a new task is assigned to. `here` is the
    /// worker that spawns it, or `None` if another thread does.
    fn home(&self, here: Option<usize>) -> usize;

    /// Queues a task that belongs to worker `home`, and wakes a worker to run
    /// it.
    fn push(&self, home: usize, task: T);

    /// Takes one of the remaining tasks. Called after the executor's workers
    /// have ended.
    fn pop(&self) -> Option<T>;
}

/// One worker's queue, with the operations that only this worker calls.
pub(crate) trait Local<T>: Send {
    /// Adds a task that belongs to worker `home` to the end of its queue.
    fn push(&self, home: usize, task: T);

    /// Returns the next task to poll, or `None` if this worker has nothing to
    /// do.
    fn pop(&self) -> Option<T>;

    /// Moves tasks queued by other threads to the end of the worker's queue.
    /// Without this, the worker's own tasks could keep waking each other and
    /// block the others.
    fn take_in(&self);

    /// Announces that the worker has found no task and is about to sleep.
    /// From then on, a push wakes it. Returns false if something has been
    /// pushed in the meantime; the worker must then not sleep.
    fn prepare_to_sleep(&self) -> bool;

    /// Records that the worker is awake again. Called after each sleep, for
    /// whatever reason it ended.
    fn awake(&self);
}
