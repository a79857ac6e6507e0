//! Experiment `waiters`: the memory that a waiting future takes, in bytes,
//! inside the future and outside it.
//!
//! Many futures wait for one event. Each is polled once, and the allocations
//! of the poll are counted; the size of the future itself is part of the task
//! that awaits it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};

use async_lock as smol;
use harness::{allocations, Cell, Experiment};
use measurement::Source;
use tokio::sync as tokio;

/// The number of waiters. It is large enough to make allocations that they
/// all share negligible.
const WAITERS: usize = 1_000;

const QUANTITIES: [&str; 3] =
    ["bytes per waiter", "allocations per waiter", "bytes per future"];

/// The results per waiting future, in the order of [`QUANTITIES`].
type Taken = Result<Vec<f64>, String>;

pub(crate) fn experiment() -> Experiment {
    let cell = |family, operation, take: fn() -> Taken| {
        Cell::readings(family, Source::Counter, &QUANTITIES, take)
            .parameter("operation", operation)
    };
    Experiment::new("waiters", QUANTITIES[0], "tokio").cells([
        cell("tokio", "mutex", || {
            let mutex = tokio::Mutex::new(());
            let _held = mutex.try_lock();
            taken(|| mutex.lock())
        }),
        cell("smol", "mutex", || {
            let mutex = smol::Mutex::new(());
            let _held = mutex.try_lock();
            taken(|| mutex.lock())
        }),
        cell("futures", "mutex", || {
            let mutex = futures_util::lock::Mutex::new(());
            let _held = mutex.try_lock();
            taken(|| mutex.lock())
        }),
        cell("tokio", "rwlock read", || {
            let lock = tokio::RwLock::new(());
            let _held = lock.try_write();
            taken(|| lock.read())
        }),
        cell("smol", "rwlock read", || {
            let lock = smol::RwLock::new(());
            let _held = lock.try_write();
            taken(|| lock.read())
        }),
        cell("tokio", "rwlock write", || {
            let lock = tokio::RwLock::new(());
            let _held = lock.try_write();
            taken(|| lock.write())
        }),
        cell("smol", "rwlock write", || {
            let lock = smol::RwLock::new(());
            let _held = lock.try_write();
            taken(|| lock.write())
        }),
        cell("tokio", "semaphore", || {
            let semaphore = tokio::Semaphore::new(0);
            taken(|| semaphore.acquire())
        }),
        cell("smol", "semaphore", || {
            let semaphore = smol::Semaphore::new(0);
            taken(|| semaphore.acquire())
        }),
        cell("tokio", "channel send", || {
            let (sender, _receiver) = tokio::mpsc::channel(1);
            sender.try_send(0).map_err(|error| error.to_string())?;
            taken(|| sender.send(0))
        }),
        cell("smol", "channel send", || {
            let (sender, _receiver) = async_channel::bounded(1);
            sender.try_send(0).map_err(|error| error.to_string())?;
            taken(|| sender.send(0))
        }),
        cell("tokio", "channel recv", || {
            let mut all: Vec<_> =
                (0..WAITERS).map(|_| tokio::mpsc::channel::<u64>(1)).collect();
            let mut receivers = all.iter_mut();
            taken(|| receivers.next().expect("one for each").1.recv())
        }),
        cell("smol", "channel recv", || {
            let (_sender, receiver) = async_channel::bounded::<u64>(1);
            taken(|| receiver.recv())
        }),
        cell("tokio", "broadcast", || {
            let sender = tokio::broadcast::Sender::<u64>::new(1);
            let mut all: Vec<_> =
                (0..WAITERS).map(|_| sender.subscribe()).collect();
            let mut receivers = all.iter_mut();
            taken(|| receivers.next().expect("one for each").recv())
        }),
        cell("smol", "broadcast", || {
            let (_sender, receiver) = async_broadcast::broadcast::<u64>(1);
            let mut all = vec![receiver; WAITERS];
            let mut receivers = all.iter_mut();
            taken(|| receivers.next().expect("one for each").recv_direct())
        }),
        cell("tokio", "watch", || {
            let (_sender, receiver) = tokio::watch::channel(0);
            let mut all = vec![receiver; WAITERS];
            let mut receivers = all.iter_mut();
            taken(|| receivers.next().expect("one for each").changed())
        }),
        cell("tokio", "barrier", || {
            let barrier = tokio::Barrier::new(WAITERS + 1);
            taken(|| barrier.wait())
        }),
        cell("smol", "barrier", || {
            let barrier = smol::Barrier::new(WAITERS + 1);
            taken(|| barrier.wait())
        }),
        cell("tokio", "notify", || {
            let notify = tokio::Notify::new();
            taken(|| notify.notified())
        }),
        cell("smol", "notify", || {
            let event = event_listener::Event::<()>::new();
            taken(|| event.listen())
        }),
    ])
}

/// Returns the memory per waiting future. Calls `wait` [`WAITERS`] times to
/// create futures that all wait for the same event.
fn taken<Waiting: Future>(mut wait: impl FnMut() -> Waiting) -> Taken {
    let mut waiters: Vec<Pin<Box<Waiting>>> = Vec::with_capacity(WAITERS);
    let was_on = allocations::count(true);
    let before = allocations::counted();
    let mut context = Context::from_waker(Waker::noop());
    let mut pending = 0;
    for _ in 0..WAITERS {
        let mut waiter = Box::pin(wait());
        pending += usize::from(waiter.as_mut().poll(&mut context).is_pending());
        waiters.push(waiter);
    }
    let counted = allocations::counted();
    allocations::count(was_on);
    if pending != WAITERS {
        return Err(format!("{pending} of {WAITERS} had to wait"));
    }
    let future = size_of::<Waiting>();
    // The boxes around the futures exist only for this test, so they are
    // subtracted. The box of an empty future doesn't allocate.
    let boxes = if future == 0 { 0 } else { WAITERS };
    let calls = counted.0 - before.0 - boxes as u64;
    let bytes = counted.1 - before.1 - (WAITERS * future) as u64;
    let each = |all: u64| all as f64 / WAITERS as f64;
    Ok(vec![each(bytes), each(calls), future as f64])
}
