//! A thread wakes another that sleeps on a core that sleeps, or a task of a
//! runtime whose thread does: the task's worker, or the thread of `block_on`.

use std::future::poll_fn;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use harness::{pin_this_thread, stamp, Cell, Noted, Party, RecordingPlan};
use runtimes::tokio::MULTI_THREAD;
use tokio::runtime::Builder;

use super::recorded_pair::{cell, SLEEPER, STD, TWO};
use crate::thread_pair::{First, Pair};

/// How long everybody sleeps before one is woken.
const REST: Duration = Duration::from_micros(200);

pub(super) fn cells() -> [Cell; 3] {
    let wake_up = |contender, arm: &str, start, plan| {
        cell(contender, "wake-up", TWO, 1, start, plan).parameter("arm", arm)
    };
    [
        wake_up(STD, "ours", parked_thread, plan("sleeper", "awake")),
        wake_up(MULTI_THREAD.name(), "ours", task, plan("worker", "poll")),
        wake_up(
            MULTI_THREAD.name(),
            "block_on",
            in_block_on,
            plan("block_on", "poll"),
        ),
    ]
}

/// From before the waking until the other's first stamp.
fn plan(woken: &str, first: &'static str) -> RecordingPlan {
    let begins = Party::Waker.stamps("wake");
    RecordingPlan::of("wake-up", ["waker", woken], "wake", begins)
        .until("waking", Party::Waker.wakes())
        .until_perhaps("interrupt", Party::Waker.interrupts())
        .until("running", Party::Woken.runs())
        .until("awake", Party::Woken.stamps(first))
        .with_calls(&["epoll_wait", "futex", "write"])
        .apart()
}

/// A thread that is parked until the bell is rung.
fn parked_thread(first: First) -> Pair {
    let shared = Arc::new(Shared::default());
    let sleeper = Arc::clone(&shared);
    let thread = thread::spawn(move || {
        first();
        loop {
            sleeper.sleeps.store(true, Ordering::Release);
            while !sleeper.is_rung.swap(false, Ordering::Acquire) {
                thread::park();
            }
            stamp("awake");
            if sleeper.is_over.load(Ordering::Acquire) {
                return;
            }
            sleeper.awoke.fetch_add(1, Ordering::AcqRel);
        }
    });
    let thread = thread.thread().clone();
    let wake = move || {
        stamp("wake");
        thread.unpark();
    };
    let bell = Bell { shared, wake: Box::new(wake) };
    Box::new(move |rounds| bell.ring(rounds))
}

/// A task on a worker that has the sleeper's core.
fn task(_: First) -> Pair {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(|| {
            pin_this_thread(SLEEPER).expect("there are two cores");
        })
        .build();
    let runtime = runtime.expect("a Tokio runtime can be built");
    let bell = Bell::of_task();
    runtime.spawn(wait(Arc::clone(&bell.shared)));
    Box::new(move |rounds| {
        // It ends with the pair.
        let _runtime = &runtime;
        bell.ring(rounds)
    })
}

/// The future that `block_on` runs, on a thread that has the sleeper's core.
fn in_block_on(first: First) -> Pair {
    let bell = Bell::of_task();
    let shared = Arc::clone(&bell.shared);
    thread::spawn(move || {
        first();
        let runtime = Builder::new_multi_thread().worker_threads(1).build();
        let runtime = runtime.expect("a Tokio runtime can be built");
        runtime.block_on(wait(shared));
    });
    Box::new(move |rounds| bell.ring(rounds))
}

/// Waits for the bell, again and again; its polls are stamped, and its waker is.
async fn wait(shared: Arc<Shared>) {
    loop {
        let until_rung = poll_fn(|context| {
            if shared.is_rung.swap(false, Ordering::Acquire) {
                return Poll::Ready(());
            }
            let waker = context.waker().clone();
            *shared.waker.lock().expect("nobody panics") = Some(waker);
            shared.sleeps.store(true, Ordering::Release);
            Poll::Pending
        });
        Noted::new(until_rung, "poll", "wake").await;
        if shared.is_over.load(Ordering::Acquire) {
            return;
        }
        shared.awoke.fetch_add(1, Ordering::AcqRel);
    }
}

/// What a sleeper and who wakes it share.
#[derive(Default)]
struct Shared {
    /// Whether the sleeper is about to sleep, or does.
    sleeps: AtomicBool,
    is_rung: AtomicBool,
    is_over: AtomicBool,
    awoke: AtomicU64,
    /// A task's.
    waker: Mutex<Option<Waker>>,
}

/// Rings for a sleeper, and ends it.
struct Bell {
    shared: Arc<Shared>,
    wake: Box<dyn Fn()>,
}

impl Bell {
    fn of_task() -> Bell {
        let shared = Arc::new(Shared::default());
        let of_sleeper = Arc::clone(&shared);
        let wake = move || {
            let waker = of_sleeper.waker.lock().expect("nobody panics").take();
            if let Some(waker) = waker {
                waker.wake();
            }
        };
        Bell { shared, wake: Box::new(wake) }
    }

    /// Wakes the sleeper so often, each time after a rest; returns how often it
    /// awoke.
    fn ring(&self, rounds: u64) -> u64 {
        let before = self.shared.awoke.load(Ordering::Acquire);
        for _ in 0..rounds {
            self.until_it_sleeps();
            thread::sleep(REST);
            self.shared.sleeps.store(false, Ordering::Release);
            self.shared.is_rung.store(true, Ordering::Release);
            (self.wake)();
        }
        self.until_it_sleeps();
        self.shared.awoke.load(Ordering::Acquire) - before
    }

    fn until_it_sleeps(&self) {
        while !self.shared.sleeps.load(Ordering::Acquire) {
            spin_loop();
        }
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        self.shared.is_rung.store(true, Ordering::Release);
        (self.wake)();
    }
}
