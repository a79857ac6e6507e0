//! Timers, in the order of their due times, and the tasks that wait for them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::task::Waker;
use std::time::{Duration, Instant};

/// The time when a timer is due, and a number that distinguishes it from
/// other timers.
pub(crate) type Key = (Instant, u64);

#[derive(Default)]
pub(crate) struct Timers(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: BTreeMap<Key, Waker>,
    number: u64,
    /// The due time of the first timer that the thread in the reactor knows
    /// of. `None` if no thread is in the reactor, and `Some(None)` if it
    /// knows no timer.
    sleeper: Option<Option<Instant>>,
}

impl Timers {
    pub(crate) fn key(&self, due: Instant) -> Key {
        let mut state = self.lock();
        state.number += 1;
        (due, state.number)
    }

    /// Registers a task to be woken at the time in `key`. Returns true if the
    /// thread in the reactor would sleep for longer than that.
    pub(crate) fn wait(&self, key: Key, task: &Waker) -> bool {
        let mut state = self.lock();
        let before = state.waiting.insert(key, task.clone());
        let sleeps_too_long = state
            .sleeper
            .is_some_and(|first| first.is_none_or(|first| key.0 < first));
        if sleeps_too_long {
            state.sleeper = Some(Some(key.0));
        }
        drop(state);
        drop(before);
        sleeps_too_long
    }

    pub(crate) fn remove(&self, key: Key) {
        // This may be the last waker of a task, so it is dropped after the
        // lock is released.
        let removed = self.lock().waiting.remove(&key);
        drop(removed);
    }

    /// Records that a thread is about to sleep in the reactor. Returns how
    /// long it may sleep, or `None` if no timer is set.
    pub(crate) fn fall_asleep(&self) -> Option<Duration> {
        let mut state = self.lock();
        let first = state.waiting.keys().next().map(|key| key.0);
        state.sleeper = Some(first);
        drop(state);
        first.map(|first| first.saturating_duration_since(Instant::now()))
    }

    /// Records that no thread sleeps in the reactor any longer. Moves the
    /// wakers of expired timers to `woken`.
    pub(crate) fn due(&self, woken: &mut Vec<Waker>) {
        let mut state = self.lock();
        state.sleeper = None;
        if state.waiting.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(first) = state.waiting.first_entry() {
            if first.key().0 > now {
                break;
            }
            woken.push(first.remove());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("a map of timers does not panic")
    }
}
