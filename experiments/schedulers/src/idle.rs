//! Tracks which workers sleep and which search for a task. Used by policies
//! that let any worker run any task. One searching worker is enough, so no
//! second one is woken.

use crate::scheduling::Unpark;
use crate::sync::{fence, AtomicUsize, Mutex, MutexGuard, Ordering};

/// The workers that sleep or search for a task.
///
/// No task is left in a queue while all workers sleep: pushing a task wakes a
/// worker, unless another is already searching. The last worker whose search
/// fails looks once more ([`Idle::sleep`]), and a worker whose search
/// succeeds wakes the next ([`Idle::found`]).
pub(crate) struct Idle {
    /// The number of workers that search for a task, including workers woken
    /// to search.
    searching: AtomicUsize,
    /// The length of `sleepers`. Reading it avoids taking the lock if no
    /// worker sleeps.
    asleep: AtomicUsize,
    /// The numbers of the sleeping workers. The thread that wakes a worker
    /// removes it; a worker that wakes for another reason removes itself.
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

    /// Wakes a sleeping worker to search for a task, unless another worker is
    /// already searching. Call this after pushing a task.
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

    pub(crate) fn search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Records that a worker has found a task. If no other worker is
    /// searching, wakes one, because tasks pushed in the meantime have woken
    /// nobody.
    pub(crate) fn found(&self) {
        if self.searching.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.wake_one();
        }
    }

    /// Records that a worker has found no task and is about to sleep. If this
    /// returns true, no other worker is searching, and the worker must check
    /// all queues once more.
    pub(crate) fn sleep(&self, worker: usize) -> bool {
        let mut sleepers = self.lock();
        sleepers.push(worker);
        self.asleep.store(sleepers.len(), Ordering::SeqCst);
        drop(sleepers);
        let last = self.searching.fetch_sub(1, Ordering::SeqCst) == 1;
        fence(Ordering::SeqCst);
        last
    }

    /// Notes that a worker has stopped sleeping. Returns true if another
    /// thread woke it to search for a task.
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
