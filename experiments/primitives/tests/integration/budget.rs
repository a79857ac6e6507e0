//! The effect of Tokio's budget on its locks.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use tokio::runtime::Builder;
use tokio::sync::{Mutex, Semaphore};

/// The number of operations after which a task has to yield.
const BUDGET: usize = 128;

/// A task that has to yield already holds the lock that it asked for, so no
/// other task can take the lock meanwhile.
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
