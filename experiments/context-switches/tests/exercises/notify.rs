//! An exercise on a line of tasks that wake each other.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

use tokio::sync::Notify;

/// Write your solution here.
mod yours {
    use super::*;

    // ANCHOR: by_notify
    /// *By notify.* A unit of a line of Tokio tasks that uses neither sockets
    /// nor channels, like the threads of `brigade/park.rs`: wait for a number
    /// in `from`, put it into `to` with one added, and do so `laps` times.
    /// The task may be polled no more than twice per number.
    pub(super) async fn by_notify(from: Arc<Slot>, to: Arc<Slot>, laps: u64) {
        let _ = (from, to, laps);
        todo!()
    }
    // ANCHOR_END: by_notify
}

mod worked {
    use super::*;

    // ANCHOR: by_notify_worked
    /// If no task is waiting yet, Tokio remembers `notify_one` for the next
    /// one, so no signal is lost between looking into the slot and waiting.
    pub(super) async fn by_notify(from: Arc<Slot>, to: Arc<Slot>, laps: u64) {
        for _ in 0..laps {
            from.filled.notified().await;
            let number = from.number.swap(0, Ordering::Acquire);
            to.number.store(number + 1, Ordering::Release);
            to.filled.notify_one();
        }
    }
    // ANCHOR_END: by_notify_worked
}

const UNITS: u64 = 20;
const LAPS: u64 = 50;

/// A slot for a number, with a signal that it has been filled.
#[derive(Default)]
struct Slot {
    number: AtomicU64,
    filled: Notify,
}

fn check_by_notify<Unit>(solution: fn(Arc<Slot>, Arc<Slot>, u64) -> Unit)
where
    Unit: Future<Output = ()> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let polls = Arc::new(AtomicUsize::new(0));
    runtime.unwrap().block_on(async {
        let slots: Vec<_> = (0..=UNITS).map(|_| Arc::default()).collect();
        let units = slots.windows(2).map(|ends| {
            let unit = solution(Arc::clone(&ends[0]), ends[1].clone(), LAPS);
            tokio::spawn(counting_polls(unit, Arc::clone(&polls)))
        });
        let units: Vec<_> = units.collect();
        let (first, last): (&Slot, &Slot) = (&slots[0], &slots[UNITS as usize]);
        for number in 1..=LAPS {
            first.number.store(number, Ordering::Release);
            first.filled.notify_one();
            last.filled.notified().await;
            let passed = last.number.swap(0, Ordering::Acquire);
            assert_eq!(passed, number + UNITS);
        }
        for unit in units {
            unit.await.unwrap();
        }
    });
    let (polls, numbers) = (polls.load(Ordering::Relaxed), UNITS * LAPS);
    assert!(polls as u64 <= 2 * numbers, "{polls} polls for {numbers} numbers");
}

async fn counting_polls(
    unit: impl Future<Output = ()>,
    polls: Arc<AtomicUsize>,
) {
    let mut unit = pin!(unit);
    std::future::poll_fn(|context| {
        polls.fetch_add(1, Ordering::Relaxed);
        unit.as_mut().poll(context)
    })
    .await;
}

#[test]
#[ignore = "an exercise"]
fn by_notify() {
    check_by_notify(yours::by_notify);
}

#[test]
fn the_worked_solution_keeps_its_rule() {
    check_by_notify(worked::by_notify);
}
