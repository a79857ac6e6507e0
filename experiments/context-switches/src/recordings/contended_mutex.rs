//! Records what happens if a thread wants a lock that another thread holds:
//! it spins, goes to sleep in the kernel, and is woken when the holder
//! unlocks. In one variant (`again`), the holder wants the lock back at once,
//! but a fair lock has then already been handed over.

use std::hint::spin_loop;
use std::ops::DerefMut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use harness::{stamp, Cell, Party, RecordingPlan};
use parking_lot::FairMutex;

use super::recorded_pair::{cell, TWO};
use crate::thread_pair::{First, Pair};

/// How long the holder keeps the lock: long enough for the waiting thread to
/// go to sleep.
const HELD: Duration = Duration::from_micros(30);

/// Stored in place of a turn's number, to tell the waiting thread to stop.
const OVER: u64 = u64::MAX;

pub(super) fn cells() -> [Cell; 3] {
    let hand_over =
        |lock, start, plan| cell(lock, "mutex", TWO, 1, start, plan);
    let again = |lock, start| {
        hand_over(lock, start, plan_again()).parameter("arm", "again")
    };
    let std = "std Mutex";
    [
        hand_over(std, start_with::<Mutex<u64>>, plan()),
        again(std, start_again_with::<Mutex<u64>>),
        again("parking_lot FairMutex", start_again_with::<FairMutex<u64>>),
    ]
}

fn plan() -> RecordingPlan {
    until_interrupt()
        .until("running", Party::Waker.runs())
        .until("locked", Party::Waker.stamps("locked"))
}

/// Returns the steps to record if the thread that releases the lock wants it
/// back at once. It may get the lock before the waiting thread runs.
fn plan_again() -> RecordingPlan {
    until_interrupt()
        .until_perhaps("again", Party::Woken.stamps("again"))
        .until("running", Party::Waker.runs())
        .until("locked", Party::Waker.stamps("locked"))
}

fn until_interrupt() -> RecordingPlan {
    let (waiter, holder) = (Party::Waker, Party::Woken);
    let parties = ["waiter", "holder"];
    let begins = waiter.stamps("lock");
    RecordingPlan::of("hand-over", parties, "lock", begins)
        .until("futex", waiter.enters("futex"))
        .until("asleep", waiter.sleeps())
        .until("unlock", holder.stamps("unlock"))
        .until("waking", holder.wakes())
        .until_perhaps("interrupt", holder.interrupts())
        .apart()
}

trait Wanted: Default + Send + Sync + 'static {
    fn wait(&self) -> impl DerefMut<Target = u64>;
}

impl Wanted for Mutex<u64> {
    fn wait(&self) -> impl DerefMut<Target = u64> {
        self.lock().expect("nobody panics")
    }
}

impl Wanted for FairMutex<u64> {
    fn wait(&self) -> impl DerefMut<Target = u64> {
        self.lock()
    }
}

#[derive(Default)]
struct Contended<L> {
    lock: L,
    /// The number of the turn for which the holder last took the lock.
    held: AtomicU64,
    /// The number of the last turn in which the waiting thread had the lock.
    had: AtomicU64,
}

/// The side of the thread that holds the lock first in each turn. Dropping it
/// ends the other thread.
struct Holder<L>(Arc<Contended<L>>);

impl<L> Drop for Holder<L> {
    fn drop(&mut self) {
        self.0.held.store(OVER, Ordering::Release);
    }
}

fn start_with<L: Wanted>(first: First) -> Pair {
    start::<L>(first, |_| {})
}

fn start_again_with<L: Wanted>(first: First) -> Pair {
    start::<L>(first, |lock| {
        let _count = lock.wait();
        stamp("again");
    })
}

/// Starts the two threads. The holder calls `then` each time it has released
/// the lock.
fn start<L: Wanted>(first: First, then: fn(&L)) -> Pair {
    let holder = Holder::<L>(Arc::default());
    let contended = Arc::clone(&holder.0);
    thread::spawn(move || {
        first();
        let mut turn = 0;
        while next_turn(&contended.held, &mut turn) {
            stamp("lock");
            let mut count = contended.lock.wait();
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
            let count = lock.wait();
            held.store(turn, Ordering::Release);
            let since = Instant::now();
            while since.elapsed() < HELD {
                spin_loop();
            }
            stamp("unlock");
            drop(count);
            then(lock);
            while had.load(Ordering::Acquire) < turn {
                spin_loop();
            }
        }
        *lock.wait() - before
    })
}

/// Spins until `held` differs from `turn`, and stores the new value in
/// `turn`. Returns `false` if there are no more turns.
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
