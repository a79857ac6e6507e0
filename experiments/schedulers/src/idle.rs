//! Who sleeps and who looks for work, where any worker may run any task: then
//! one that looks is enough, and waking a second would only cost.

use crate::scheduling::Unpark;
use crate::sync::{fence, AtomicUsize, Mutex, MutexGuard, Ordering};

/// The workers that have nothing to do.
///
/// No task is left lying while all sleep: who pushes one wakes a worker, unless
/// another is searching already; and the last one that ends its search without
/// success looks once more ([`Idle::sleep`]), while one that ends it with
/// success wakes the next ([`Idle::found`]).
pub(crate) struct Idle {
    /// How many workers search, those included that were woken to do so.
    searching: AtomicUsize,
    /// How many workers are on the list below; spares the lock if none.
    asleep: AtomicUsize,
    /// Those that sleep. Whoever takes one off wakes it, or is that worker.
    sleepers: Mutex<Vec<usize>>,
    unpark: Vec<Unpark>,
}

impl Idle {
    pub(crate) fn new(unpark: Vec<Unpark>) -> Self {
        Idle {
            searching: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            sleepers: Mutex::new(Vec::with_capacity(unpark.len())),
            unpark,
        }
    }

    /// Wakes a worker that sleeps, to search, unless one searches already:
    /// after something was queued.
    pub(crate) fn wake_one(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) == 0 || self.somebody_searches() {
            return;
        }
        let mut sleepers = self.lock();
        if self.somebody_searches() {
            return;
        }
        if let Some(worker) = sleepers.pop() {
            self.asleep.store(sleepers.len(), Ordering::SeqCst);
            self.searching.fetch_add(1, Ordering::SeqCst);
            drop(sleepers);
            (self.unpark[worker])();
        }
    }

    /// A worker begins to search.
    pub(crate) fn search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// A worker's search has ended well. If nobody else searches, tasks that
    /// were pushed meanwhile have woken nobody, so another is woken.
    pub(crate) fn found(&self) {
        if self.searching.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.wake_one();
        }
    }

    /// A worker's search has ended without a task, and it will sleep. True: it
    /// was the last to search, so it has to look at all queues once more.
    pub(crate) fn sleep(&self, worker: usize) -> bool {
        let mut sleepers = self.lock();
        sleepers.push(worker);
        self.asleep.store(sleepers.len(), Ordering::SeqCst);
        drop(sleepers);
        let last = self.searching.fetch_sub(1, Ordering::SeqCst) == 1;
        fence(Ordering::SeqCst);
        last
    }

    /// A worker does not sleep any more. True: it was woken to search.
    pub(crate) fn awake(&self, worker: usize) -> bool {
        let mut sleepers = self.lock();
        let place = sleepers.iter().position(|sleeper| *sleeper == worker);
        if let Some(place) = place {
            sleepers.swap_remove(place);
            self.asleep.store(sleepers.len(), Ordering::SeqCst);
        }
        place.is_none()
    }

    fn somebody_searches(&self) -> bool {
        self.searching.load(Ordering::SeqCst) > 0
    }

    fn lock(&self) -> MutexGuard<'_, Vec<usize>> {
        self.sleepers.lock().expect("a list of numbers does not panic")
    }
}
