//! Tests how Tokio's budget affects its locks.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use tokio::runtime::Builder;
use tokio::sync::{Mutex, Semaphore};

/// The number of Tokio operations after which a task has to yield.
const BUDGET: usize = 128;

/// A task that has to yield while it acquires a lock already holds that lock.
/// No other task can take the lock in the meantime.
#[test]
fn who_makes_way_for_others_has_the_lock() {
    Builder::new_current_thread().build().unwrap().block_on(makes_way());
}

async fn makes_way() {
    let spent = Semaphore::new(1);
    let mutex = Mutex::new(());
    let mut context = Context::from_waker(Waker::noop());
    for _ in 1..BUDGET {
        drop(spent.acquire().await);
    }
    assert!(
        pin!(mutex.lock()).poll(&mut context).is_ready(),
        "the last of its budget"
    );
    let mut lock = Box::pin(mutex.lock());
    assert!(
        lock.as_mut().poll(&mut context).is_pending(),
        "nobody has the lock"
    );
    assert!(mutex.try_lock().is_err(), "but the one who waits has it");
    drop(lock);
    assert!(mutex.try_lock().is_ok());
}
