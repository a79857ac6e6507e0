//! The two halves of a scheduling policy: queues as other threads see them
//! ([`Remote`]), and as their own worker sees them ([`Local`]).

/// A function that wakes a sleeping worker. If the worker is awake, its next
/// sleep ends at once.
pub(crate) type Unpark = Box<dyn Fn() + Send + Sync>;

/// The queues of all workers, with the operations that any thread may call.
pub(crate) trait Remote<T>: Send + Sync {
    /// Returns the worker to which a new task belongs. The task is spawned by
    /// worker `here`, or by another thread if `here` is `None`.
    fn home(&self, here: Option<usize>) -> usize;

    /// Queues a task that belongs to worker `home`, and wakes a worker to run
    /// it.
    fn push(&self, home: usize, task: T);

    /// Takes a task that other threads have queued, or that a worker has left
    /// behind. Called when the executor ends and its workers are gone.
    fn pop(&self) -> Option<T>;
}

/// One worker's queue, with the operations that only this worker calls.
pub(crate) trait Local<T>: Send {
    /// Queues a task that belongs to worker `home`, behind all other tasks.
    fn push(&self, home: usize, task: T);

    /// Returns the next task to poll, or `None` if this worker has nothing to
    /// do.
    fn pop(&self) -> Option<T>;

    /// Takes tasks queued by other threads, and puts them behind the worker's
    /// own tasks. Otherwise, own tasks that keep waking each other would
    /// block the others.
    fn take_in(&self);

    /// Announces that the worker has found no task and will sleep. From then
    /// on, a push for the worker wakes it. Returns false if something has
    /// been pushed in the meantime, so that the worker must not sleep.
    fn prepare_to_sleep(&self) -> bool;

    /// Notes that the worker is awake again. Called after each sleep,
    /// whatever ended it.
    fn awake(&self);
}
