//! Tests that primitives behave as documented when something goes wrong. No
//! test waits. Each future is polled once, and once more after the event that
//! should wake it.

use std::future::Future;
use std::mem::forget;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::pin::{pin, Pin};
use std::sync::{mpsc, Mutex as StdMutex, RwLock as StdRwLock, TryLockError};
use std::task::{Context, Poll, Waker};

use tokio::sync as tk;

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Polls `future` once and returns its result. Panics if it would have to
/// wait.
fn at_once<F: Future>(future: F) -> F::Output {
    match poll(pin!(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

/// Panics without printing a message, while it holds the guard returned by
/// `hold`.
fn panic_with<Guard>(hold: impl FnOnce() -> Guard) {
    let panics = || {
        let _guard = hold();
        resume_unwind(Box::new("on purpose"));
    };
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
}

#[test]
fn a_channel_without_receivers_gives_the_message_back() {
    let (sender, _) = tk::mpsc::channel(1);
    assert_eq!(
        sender.try_send(7),
        Err(tk::mpsc::error::TrySendError::Closed(7))
    );
    assert_eq!(at_once(sender.send(7)), Err(tk::mpsc::error::SendError(7)));

    let (sender, _) = async_channel::bounded(1);
    assert_eq!(sender.try_send(7), Err(async_channel::TrySendError::Closed(7)));
    assert_eq!(at_once(sender.send(7)), Err(async_channel::SendError(7)));

    let (sender, _) = mpsc::sync_channel(1);
    assert_eq!(sender.try_send(7), Err(mpsc::TrySendError::Disconnected(7)));

    let (sender, _) = crossbeam_channel::bounded(1);
    assert_eq!(
        sender.try_send(7),
        Err(crossbeam_channel::TrySendError::Disconnected(7))
    );

    let (sender, _) = tk::oneshot::channel();
    assert_eq!(sender.send(7), Err(7));
    let (sender, _) = futures_channel::oneshot::channel();
    assert_eq!(sender.send(7), Err(7));

    let (sender, _) = tk::watch::channel(0);
    assert_eq!(sender.send(7), Err(tk::watch::error::SendError(7)));
    let (sender, _) = tk::broadcast::channel(1);
    assert_eq!(sender.send(7).unwrap_err().0, 7);
    let (sender, _) = async_broadcast::broadcast(1);
    assert_eq!(
        sender.try_broadcast(7),
        Err(async_broadcast::TrySendError::Closed(7))
    );
}

#[test]
fn a_channel_without_senders_gives_what_is_in_it_and_then_says_so() {
    let (sender, mut receiver) = tk::mpsc::channel(1);
    sender.try_send(7).unwrap();
    drop(sender);
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_eq!(
        receiver.try_recv(),
        Err(tk::mpsc::error::TryRecvError::Disconnected)
    );
    assert_eq!(at_once(receiver.recv()), None);

    let (sender, receiver) = async_channel::bounded(1);
    sender.try_send(7).unwrap();
    drop(sender);
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_eq!(receiver.try_recv(), Err(async_channel::TryRecvError::Closed));
    assert_eq!(at_once(receiver.recv()), Err(async_channel::RecvError));

    let (sender, receiver) = mpsc::sync_channel(1);
    sender.try_send(7).unwrap();
    drop(sender);
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Disconnected));

    let (sender, receiver) = crossbeam_channel::bounded(1);
    sender.try_send(7).unwrap();
    drop(sender);
    assert_eq!(receiver.try_recv(), Ok(7));
    assert_eq!(
        receiver.try_recv(),
        Err(crossbeam_channel::TryRecvError::Disconnected)
    );

    let (sender, mut receiver) = tk::watch::channel(7);
    drop(sender);
    assert_eq!(*receiver.borrow(), 7);
    assert!(at_once(receiver.changed()).is_err());
}

#[test]
fn who_waits_for_a_channel_that_closes_waits_no_longer() {
    let (sender, mut receiver) = tk::mpsc::channel::<u64>(1);
    let mut waits = pin!(receiver.recv());
    assert!(poll(waits.as_mut()).is_pending());
    drop(sender);
    assert_eq!(poll(waits), Poll::Ready(None));

    let (sender, receiver) = async_channel::bounded::<u64>(1);
    let mut waits = pin!(receiver.recv());
    assert!(poll(waits.as_mut()).is_pending());
    drop(sender);
    assert_eq!(poll(waits), Poll::Ready(Err(async_channel::RecvError)));

    let (sender, receiver) = tk::oneshot::channel::<u64>();
    let mut waits = pin!(receiver);
    assert!(poll(waits.as_mut()).is_pending());
    drop(sender);
    assert!(matches!(poll(waits), Poll::Ready(Err(_))));

    let (sender, receiver) = futures_channel::oneshot::channel::<u64>();
    let mut waits = pin!(receiver);
    assert!(poll(waits.as_mut()).is_pending());
    drop(sender);
    assert_eq!(
        poll(waits),
        Poll::Ready(Err(futures_channel::oneshot::Canceled))
    );
}

#[test]
fn a_panic_poisons_locks_of_std_only() {
    let mutex = StdMutex::new(7);
    panic_with(|| mutex.lock().unwrap());
    assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
    assert_eq!(*mutex.lock().unwrap_err().into_inner(), 7);

    let lock = StdRwLock::new(7);
    panic_with(|| lock.read().unwrap());
    assert_eq!(*lock.read().unwrap(), 7);
    panic_with(|| lock.write().unwrap());
    assert!(matches!(lock.try_read(), Err(TryLockError::Poisoned(_))));

    let mutex = tk::Mutex::new(7);
    panic_with(|| mutex.try_lock().unwrap());
    assert_eq!(*mutex.try_lock().unwrap(), 7);
    let mutex = async_lock::Mutex::new(7);
    panic_with(|| mutex.try_lock().unwrap());
    assert_eq!(*mutex.try_lock().unwrap(), 7);
    let mutex = parking_lot::Mutex::new(7);
    panic_with(|| mutex.lock());
    assert_eq!(*mutex.lock(), 7);
    let mutex = futures_util::lock::Mutex::new(7);
    panic_with(|| mutex.try_lock().unwrap());
    assert_eq!(*mutex.try_lock().unwrap(), 7);
}

#[test]
fn a_receiver_that_lags_is_told_how_much_it_missed_or_holds_the_sender_up() {
    use async_broadcast::{RecvError, TryRecvError, TrySendError};
    use tk::broadcast::error::TryRecvError as Tokio;

    // Tokio's sender never waits: if the channel is full, it drops the oldest
    // message.
    let (sender, mut receiver) = tk::broadcast::channel(2);
    for message in [1, 2, 3] {
        sender.send(message).unwrap();
    }
    assert_eq!(receiver.try_recv(), Err(Tokio::Lagged(1)));
    assert_eq!((receiver.try_recv(), receiver.try_recv()), (Ok(2), Ok(3)));
    assert_eq!(receiver.try_recv(), Err(Tokio::Empty));

    // async-broadcast's sender waits if the channel is full, unless messages
    // may be dropped.
    let (mut sender, mut receiver) = async_broadcast::broadcast(2);
    assert_eq!(
        (sender.try_broadcast(1), sender.try_broadcast(2)),
        (Ok(None), Ok(None))
    );
    assert_eq!(sender.try_broadcast(3), Err(TrySendError::Full(3)));
    assert!(poll(pin!(sender.broadcast_direct(3))).is_pending());
    sender.set_overflow(true);
    assert_eq!(sender.try_broadcast(3), Ok(Some(1)));
    assert_eq!(at_once(receiver.recv()), Err(RecvError::Overflowed(1)));
    assert_eq!((receiver.try_recv(), receiver.try_recv()), (Ok(2), Ok(3)));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));

    // A watch channel holds only the last value, and doesn't report values
    // that a receiver has missed.
    let (sender, mut receiver) = tk::watch::channel(0);
    for value in [1, 2, 3] {
        sender.send(value).unwrap();
    }
    at_once(receiver.changed()).unwrap();
    assert_eq!(*receiver.borrow_and_update(), 3);
    assert!(poll(pin!(receiver.changed())).is_pending());
}

#[test]
fn a_permit_that_is_never_given_back_is_missing_until_somebody_adds_one() {
    let semaphore = tk::Semaphore::new(1);
    semaphore.try_acquire().unwrap().forget();
    assert_eq!(
        semaphore.try_acquire().unwrap_err(),
        tk::TryAcquireError::NoPermits
    );
    let mut waits = pin!(semaphore.acquire());
    assert!(poll(waits.as_mut()).is_pending());
    semaphore.add_permits(1);
    assert!(matches!(poll(waits), Poll::Ready(Ok(_))));
    // Tokio's semaphore can be closed, so that no task waits forever.
    let lost = tk::Semaphore::new(0);
    let mut waits = pin!(lost.acquire());
    assert!(poll(waits.as_mut()).is_pending());
    lost.close();
    assert!(matches!(poll(waits), Poll::Ready(Err(_))));

    let semaphore = async_lock::Semaphore::new(1);
    semaphore.try_acquire().unwrap().forget();
    assert!(semaphore.try_acquire().is_none());
    let mut waits = pin!(semaphore.acquire());
    assert!(poll(waits.as_mut()).is_pending());
    semaphore.add_permits(1);
    assert!(poll(waits).is_ready());
}

#[test]
fn a_lock_whose_guard_is_forgotten_stays_locked() {
    let mutex = tk::Mutex::new(());
    forget(mutex.try_lock());
    assert!(mutex.try_lock().is_err());
    let mutex = async_lock::Mutex::new(());
    forget(mutex.try_lock());
    assert!(mutex.try_lock().is_none());
    let mutex = futures_util::lock::Mutex::new(());
    forget(mutex.try_lock());
    assert!(mutex.try_lock().is_none());
    let mutex = StdMutex::new(());
    forget(mutex.try_lock());
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    let mutex = parking_lot::Mutex::new(());
    forget(mutex.try_lock());
    assert!(mutex.try_lock().is_none());
}

/// Polls two futures that wait for the same event. If the first is given its
/// turn but is then dropped, the second must get the turn.
fn passes_its_turn_on<Waits: Future>(
    wait: impl Fn() -> Waits,
    give: impl FnOnce(),
) {
    let mut first = Box::pin(wait());
    let mut second = Box::pin(wait());
    assert!(poll(first.as_mut()).is_pending());
    assert!(poll(second.as_mut()).is_pending());
    give();
    drop(first);
    assert!(poll(second.as_mut()).is_ready());
}

#[test]
fn who_stops_waiting_passes_its_turn_on() {
    let semaphore = tk::Semaphore::new(1);
    let permit = semaphore.try_acquire().unwrap();
    passes_its_turn_on(|| semaphore.acquire(), || drop(permit));

    let semaphore = async_lock::Semaphore::new(1);
    let permit = semaphore.try_acquire().unwrap();
    passes_its_turn_on(|| semaphore.acquire(), || drop(permit));

    let notify = tk::Notify::new();
    passes_its_turn_on(|| notify.notified(), || notify.notify_one());

    let event = event_listener::Event::<()>::new();
    passes_its_turn_on(
        || event.listen(),
        || {
            event.notify(1);
        },
    );
}
