//! A thread wants a lock that another one holds: it spins, goes to sleep in the
//! kernel, and is woken by the other's unlocking.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use harness::{stamp, Cell, Party, RecordingPlan};

use super::recorded_pair::{cell, TWO};
use crate::thread_pair::{First, Pair};

/// How long the lock is held: long enough for the other thread to go to sleep.
const HELD: Duration = Duration::from_micros(30);

/// No turn: the end.
const OVER: u64 = u64::MAX;

pub(super) fn the_cell() -> Cell {
    cell("std Mutex", "mutex", TWO, 1, start, plan())
}

fn plan() -> RecordingPlan {
    let (waiter, holder) = (Party::Waker, Party::Woken);
    let parties = ["waiter", "holder"];
    let begins = waiter.stamps("lock");
    RecordingPlan::of("hand-over", parties, "lock", begins)
        .until("futex", waiter.enters("futex"))
        .until("asleep", waiter.sleeps())
        .until("unlock", holder.stamps("unlock"))
        .until("waking", holder.wakes())
        .until_perhaps("interrupt", holder.interrupts())
        .until("running", waiter.runs())
        .until("locked", waiter.stamps("locked"))
        .apart()
}

/// What the two threads share.
#[derive(Default)]
struct Contended {
    lock: Mutex<u64>,
    /// The turn for which the lock is held.
    held: AtomicU64,
    /// The last turn in which the waiter has had the lock.
    had: AtomicU64,
}

/// Ends the waiter.
struct Holder(Arc<Contended>);

impl Drop for Holder {
    fn drop(&mut self) {
        self.0.held.store(OVER, Ordering::Release);
    }
}

fn start(first: First) -> Pair {
    let holder = Holder(Arc::default());
    let contended = Arc::clone(&holder.0);
    thread::spawn(move || {
        first();
        let mut turn = 0;
        while next_turn(&contended.held, &mut turn) {
            stamp("lock");
            let mut count = contended.lock.lock().expect("nobody panics");
            stamp("locked");
            *count += 1;
            drop(count);
            contended.had.store(turn, Ordering::Release);
        }
    });
    Box::new(move |rounds| {
        let Contended { lock, held, had } = &*holder.0;
        let before = had.load(Ordering::Acquire);
        for turn in before + 1..=before + rounds {
            let count = lock.lock().expect("nobody panics");
            held.store(turn, Ordering::Release);
            let since = Instant::now();
            while since.elapsed() < HELD {
                spin_loop();
            }
            stamp("unlock");
            drop(count);
            while had.load(Ordering::Acquire) < turn {
                spin_loop();
            }
        }
        *lock.lock().expect("nobody panics") - before
    })
}

/// Waits for another turn than this one; false at the end.
fn next_turn(held: &AtomicU64, turn: &mut u64) -> bool {
    loop {
        match held.load(Ordering::Acquire) {
            OVER => return false,
            next if next != *turn => {
                *turn = next;
                return true;
            }
            _ => spin_loop(),
        }
    }
}
