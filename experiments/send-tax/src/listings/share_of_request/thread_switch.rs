//! Two threads that take turns: each unparks the other and parks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Makes two threads take turns for `rounds` rounds. Before that, the threads
/// call `place(0)` and `place(1)`. Returns the elapsed time and the number of
/// rounds.
pub fn take_turns(
    rounds: u64,
    place: impl Fn(usize) + Copy + Send,
) -> (Duration, u64) {
    let turns = &AtomicU64::new(0);
    let elapsed = thread::scope(|scope| {
        let first = scope.spawn(move || {
            place(0);
            let first = thread::current();
            let second = scope.spawn(move || {
                place(1);
                (0..=rounds).for_each(|n| pass(turns, 2 * n + 1, &first));
            });
            // The first round is not timed, because it includes the start of
            // the second thread.
            wake(turns, second.thread());
            wait(turns, 2);
            let start = Instant::now();
            (1..=rounds).for_each(|n| pass(turns, 2 * n, second.thread()));
            wait(turns, 2 * rounds + 2);
            start.elapsed()
        });
        first.join().expect("turns are taken")
    });
    (elapsed, turns.load(Ordering::Acquire) / 2 - 1)
}

/// Waits until it is turn number `turn`, takes that turn, and wakes `other`.
fn pass(turns: &AtomicU64, turn: u64, other: &Thread) {
    wait(turns, turn);
    wake(turns, other);
}

fn wait(turns: &AtomicU64, turn: u64) {
    while turns.load(Ordering::Acquire) < turn {
        thread::park();
    }
}

fn wake(turns: &AtomicU64, other: &Thread) {
    turns.fetch_add(1, Ordering::Release);
    other.unpark();
}
