//! The roster. It records for each thread of an executor whether the thread
//! runs tasks, is stuck in one, or sleeps.
//!
//! Up to `workers` threads may run at once, not counting stuck ones. All
//! others sleep: one of them in the reactor, the rest at their bells. Only
//! these numbers decide which threads run, so a spare is not a special kind
//! of thread.

use crate::bell::Bell;
use crate::sync::{
    fence, AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering,
};

pub(crate) struct Roster {
    workers: usize,
    seats: Vec<Seat>,
    /// The number of threads that search for tasks, including threads woken
    /// to search.
    searching: AtomicUsize,
    /// True if a thread sleeps and another thread may run. If false, there is
    /// nobody to wake, so the lock isn't needed.
    can_wake: AtomicBool,
    state: Mutex<State>,
    /// Notified when a thread has ended, or has been found stuck.
    fewer: Condvar,
    closing: AtomicBool,
    monitor: Bell,
}

/// The part of a thread's state that other threads read. It has its own cache
/// lines, because the thread writes to it at every poll.
#[repr(align(128))]
struct Seat {
    /// The number of starts and ends of polls. It is odd during a poll.
    polls: AtomicUsize,
    /// True if the thread was found in the same poll at two checks. Changes
    /// only under the lock.
    stuck: AtomicBool,
    /// True once the thread has stopped running tasks. Changes only under the
    /// lock.
    ended: AtomicBool,
    bell: Bell,
}

struct State {
    asleep: Vec<Sleeper>,
    /// The number of threads that are neither asleep nor stuck nor ended.
    running: usize,
    stuck: usize,
    ended: usize,
    monitor_rests: bool,
}

pub(crate) struct Sleeper {
    thread: usize,
    /// True if the thread sleeps in the reactor, and false if it sleeps at
    /// its bell.
    in_reactor: bool,
}

pub(crate) enum Awake {
    /// Another thread woke this one to look for tasks.
    ToSearch,
    /// An event from the reactor woke the thread, or the reason is unknown.
    ByItself,
}

impl Roster {
    /// Creates a roster of `threads` threads. Each is considered running
    /// until it finds no work.
    pub(crate) fn new(workers: usize, threads: usize) -> Self {
        let seat = || Seat {
            polls: AtomicUsize::new(0),
            stuck: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            bell: Bell::new(),
        };
        Roster {
            workers,
            seats: (0..threads).map(|_| seat()).collect(),
            searching: AtomicUsize::new(0),
            can_wake: AtomicBool::new(false),
            state: Mutex::new(State {
                asleep: Vec::with_capacity(threads),
                running: threads,
                stuck: 0,
                ended: 0,
                monitor_rests: false,
            }),
            fewer: Condvar::new(),
            closing: AtomicBool::new(false),
            monitor: Bell::new(),
        }
    }

    pub(crate) fn threads(&self) -> usize {
        self.seats.len()
    }

    pub(crate) fn bell(&self, thread: usize) -> &Bell {
        &self.seats[thread].bell
    }

    pub(crate) fn monitor(&self) -> &Bell {
        &self.monitor
    }

    // ANCHOR: poll
    /// Runs `poll` on thread number `thread`. Returns true if the monitor has
    /// found the thread stuck. The monitor may mark it late, during the next
    /// poll, which does no harm.
    pub(crate) fn poll(&self, thread: usize, poll: impl FnOnce()) -> bool {
        let seat = &self.seats[thread];
        // No other thread writes this count, so no atomic addition is needed.
        let polls = seat.polls.load(Ordering::Relaxed);
        seat.polls.store(polls.wrapping_add(1), Ordering::Relaxed);
        poll();
        seat.polls.store(polls.wrapping_add(2), Ordering::Relaxed);
        seat.stuck.load(Ordering::Relaxed)
    }
    // ANCHOR_END: poll

    /// Returns the number of times that a thread has started or ended a poll.
    /// It is odd during a poll.
    pub(crate) fn polls(&self, thread: usize) -> usize {
        self.seats[thread].polls.load(Ordering::Relaxed)
    }

    // ANCHOR: stuck
    /// Marks a thread as stuck if it is still in the poll with the count
    /// `polls`, so that another thread may run in its place. Returns true if
    /// the mark is new.
    pub(crate) fn found_stuck(&self, thread: usize, polls: usize) -> bool {
        let mut state = self.lock();
        let seat = &self.seats[thread];
        if self.polls(thread) != polls || seat.stuck.load(Ordering::Relaxed) {
            return false;
        }
        seat.stuck.store(true, Ordering::Relaxed);
        state.stuck += 1;
        state.running -= 1;
        self.update(&state);
        self.fewer.notify_all();
        true
    }

    /// Records that a stuck thread has returned from its poll. Returns true
    /// if enough other threads are running.
    pub(crate) fn is_back(&self, thread: usize) -> bool {
        let mut state = self.lock();
        if self.no_longer_stuck(thread, &mut state) {
            state.running += 1;
            self.update(&state);
        }
        state.running > self.workers
    }
    // ANCHOR_END: stuck

    pub(crate) fn search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Records that a searching thread has found a task. Returns true if no
    /// other thread is searching; the caller should then wake one for tasks
    /// queued in the meantime.
    pub(crate) fn found(&self) -> bool {
        self.searching.fetch_sub(1, Ordering::SeqCst) == 1
    }

    /// Takes a sleeping thread off the list for the caller to wake. Returns
    /// `None` if no more threads may run, or if a thread is already
    /// searching.
    pub(crate) fn take_sleeper(&self) -> Option<Sleeper> {
        fence(Ordering::SeqCst);
        if !self.can_wake.load(Ordering::SeqCst) || self.somebody_searches() {
            return None;
        }
        let mut state = self.lock();
        if state.running >= self.workers || self.somebody_searches() {
            return None;
        }
        // Prefers a thread that sleeps at its bell, so that the thread in the
        // reactor stays there.
        let place = state.asleep.iter().rposition(|it| !it.in_reactor);
        let place = place.or(state.asleep.len().checked_sub(1))?;
        let sleeper = state.asleep.remove(place);
        state.running += 1;
        self.searching.fetch_add(1, Ordering::SeqCst);
        self.update(&state);
        Some(sleeper)
    }

    /// Records that a thread is about to sleep. The thread must then check
    /// the queues once more.
    pub(crate) fn fall_asleep(
        &self,
        thread: usize,
        in_reactor: bool,
        was_searching: bool,
    ) {
        let mut state = self.lock();
        if !self.no_longer_stuck(thread, &mut state) {
            state.running -= 1;
        }
        state.asleep.push(Sleeper { thread, in_reactor });
        self.update(&state);
        drop(state);
        if was_searching {
            self.searching.fetch_sub(1, Ordering::SeqCst);
        }
        fence(Ordering::SeqCst);
    }

    /// Notes that a thread has stopped sleeping, and returns why it woke up.
    pub(crate) fn awake(&self, thread: usize) -> Awake {
        let mut state = self.lock();
        let place = state.asleep.iter().position(|it| it.thread == thread);
        if let Some(place) = place {
            state.asleep.remove(place);
            state.running += 1;
            self.update(&state);
        }
        let wake_monitor = std::mem::take(&mut state.monitor_rests);
        drop(state);
        if wake_monitor {
            self.monitor.ring();
        }
        place.map_or(Awake::ToSearch, |_| Awake::ByItself)
    }

    /// Returns true if the monitor may sleep until a thread wakes up, because
    /// all threads sleep.
    pub(crate) fn monitor_may_rest(&self) -> bool {
        let mut state = self.lock();
        state.monitor_rests =
            state.asleep.len() == self.threads() && !self.is_closing();
        state.monitor_rests
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Tells the threads to end. Wakes all sleeping threads except the one in
    /// the reactor.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.seats.iter().for_each(|seat| seat.bell.ring());
    }

    /// Notes that a thread has run its last task, or has panicked.
    pub(crate) fn end(&self, thread: usize) {
        let seat = &self.seats[thread];
        seat.polls.store(0, Ordering::Relaxed);
        let mut state = self.lock();
        seat.ended.store(true, Ordering::Relaxed);
        if !self.no_longer_stuck(thread, &mut state) {
            state.running -= 1;
        }
        state.ended += 1;
        self.update(&state);
        self.fewer.notify_all();
    }

    pub(crate) fn has_ended(&self, thread: usize) -> bool {
        let _unchanged = self.lock();
        self.seats[thread].ended.load(Ordering::Relaxed)
    }

    pub(crate) fn not_ended(&self) -> usize {
        self.threads() - self.lock().ended
    }

    /// Returns true if all threads have ended, except for stuck ones.
    pub(crate) fn is_closed(&self) -> bool {
        self.are_closed(&self.lock())
    }

    /// Waits until all threads have ended, except for stuck ones.
    pub(crate) fn wait_until_closed(&self) {
        let mut state = self.lock();
        while !self.are_closed(&state) {
            state = self.fewer.wait(state).expect(NO_PANIC);
        }
    }

    fn are_closed(&self, state: &State) -> bool {
        self.is_closing() && state.ended + state.stuck == self.threads()
    }

    fn no_longer_stuck(&self, thread: usize, state: &mut State) -> bool {
        let stuck = &self.seats[thread].stuck;
        let was_stuck = stuck.load(Ordering::Relaxed);
        if was_stuck {
            stuck.store(false, Ordering::Relaxed);
            state.stuck -= 1;
        }
        was_stuck
    }

    fn update(&self, state: &State) {
        let can_wake = state.running < self.workers && !state.asleep.is_empty();
        self.can_wake.store(can_wake, Ordering::SeqCst);
    }

    fn somebody_searches(&self) -> bool {
        self.searching.load(Ordering::SeqCst) > 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NO_PANIC)
    }
}

impl Sleeper {
    /// Returns the bell that wakes this thread, or `None` if it sleeps in the
    /// reactor.
    pub(crate) fn bell(self, roster: &Roster) -> Option<&Bell> {
        (!self.in_reactor).then(|| roster.bell(self.thread))
    }
}

const NO_PANIC: &str = "counting does not panic";
