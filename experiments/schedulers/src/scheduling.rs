//! What a policy consists of: the queues as other threads see them
//! ([`Remote`]), and as the worker does to whom they belong ([`Local`]).

/// Wakes a worker that sleeps; one that does not, will not sleep the next time.
pub(crate) type Unpark = Box<dyn Fn() + Send + Sync>;

/// The queues of all workers, as any thread sees them.
pub(crate) trait Remote<T>: Send + Sync {
    /// The worker to which a new task belongs, spawned on worker `here` or, if
    /// that is none, on another thread.
    fn home(&self, here: Option<usize>) -> usize;

    /// Queues a task that belongs to worker `home`, and wakes who has to run
    /// it.
    fn push(&self, home: usize, task: T);

    /// A task that other threads have queued, or that a worker has left; for the
    /// executor's end, when there are no workers any more.
    fn pop(&self) -> Option<T>;
}

/// The tasks of one worker, as it sees them on its own thread.
pub(crate) trait Local<T>: Send {
    /// Queues a task that belongs to worker `home`, behind all others.
    fn push(&self, home: usize, task: T);

    /// The next task to poll. None: there is nothing for this worker to do.
    fn pop(&self) -> Option<T>;

    /// Takes in what other threads have queued, behind the worker's own tasks,
    /// so that tasks which wake each other for ever do not keep it waiting.
    fn take_in(&self);

    /// Announces that the worker, whose `pop` has found nothing, will sleep.
    /// From then on a push for it wakes it. False: something has been pushed
    /// meanwhile, so it must not.
    fn prepare_to_sleep(&self) -> bool;

    /// After sleeping, whoever woke the worker.
    fn awake(&self);
}
