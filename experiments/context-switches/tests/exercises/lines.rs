//! Exercises on units in a line.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

#[cfg(target_os = "linux")]
use nix::sys::eventfd::EventFd;
use tokio::sync::Notify;

/// Yours to write.
mod yours {
    use super::*;

    /// *By notify.* A unit of a line of Tokio tasks that uses neither socket
    /// nor channel, like the threads of `brigade/park.rs`: wait for a number
    /// in `from`, put it into `to` with one added, and do so `laps` times. The
    /// task may be polled no more than twice for each number.
    pub(super) async fn by_notify(from: Arc<Slot>, to: Arc<Slot>, laps: u64) {
        let _ = (from, to, laps);
        todo!()
    }

    /// *By eventfd.* A unit of a line of threads over the smallest file that
    /// Linux has, which holds one number: read from `from`, write to `to` with
    /// one added, `laps` times. It may not spin while it waits.
    #[cfg(target_os = "linux")]
    pub(super) fn by_eventfd(from: &EventFd, to: &EventFd, laps: u64) {
        let _ = (from, to, laps);
        todo!()
    }
}

/// A solution of each.
mod worked {
    use super::*;

    /// `notify_one` is kept for a task that does not wait yet, so none is lost
    /// between the look into the slot and the wait.
    pub(super) async fn by_notify(from: Arc<Slot>, to: Arc<Slot>, laps: u64) {
        for _ in 0..laps {
            from.filled.notified().await;
            let number = from.number.swap(0, Ordering::Acquire);
            to.number.store(number + 1, Ordering::Release);
            to.filled.notify_one();
        }
    }

    /// Reading takes the number away, and blocks while it is 0.
    #[cfg(target_os = "linux")]
    pub(super) fn by_eventfd(from: &EventFd, to: &EventFd, laps: u64) {
        for _ in 0..laps {
            let number = from.read().expect("an eventfd can be read");
            to.write(number + 1).expect("an eventfd can be written");
        }
    }
}

const UNITS: u64 = 20;
const LAPS: u64 = 50;

/// Where a unit finds a number, and how it is told that there is one.
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

#[cfg(target_os = "linux")]
fn check_by_eventfd(solution: fn(&EventFd, &EventFd, u64)) {
    use std::thread;
    use std::time::Duration;

    let files: Vec<_> = (0..=UNITS).map(|_| EventFd::new().unwrap()).collect();
    let (first, last) = (&files[0], &files[UNITS as usize]);
    thread::scope(|scope| {
        for ends in files.windows(2) {
            scope.spawn(|| solution(&ends[0], &ends[1], LAPS));
        }
        for number in 1..LAPS {
            first.write(number).unwrap();
            assert_eq!(last.read().unwrap(), number + UNITS);
        }
        // All of them wait now for the last number.
        let before = cpu_time();
        thread::sleep(Duration::from_millis(50));
        let spent = cpu_time() - before;
        first.write(LAPS).unwrap();
        assert_eq!(last.read().unwrap(), LAPS + UNITS);
        assert!(spent < Duration::from_millis(25), "{spent:?} while waiting");
    });
}

/// What this process has had of the processors.
#[cfg(target_os = "linux")]
fn cpu_time() -> std::time::Duration {
    use nix::time::{clock_gettime, ClockId};
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.expect("the clock can be read").into()
}

#[test]
#[ignore = "an exercise"]
fn by_notify() {
    check_by_notify(yours::by_notify);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "an exercise"]
fn by_eventfd() {
    check_by_eventfd(yours::by_eventfd);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_by_notify(worked::by_notify);
    #[cfg(target_os = "linux")]
    check_by_eventfd(worked::by_eventfd);
}
