//! Adds one under Tokio's mutex.

use std::hint::black_box;

use tokio::sync::Mutex;

/// Adds one to each counter of the list.
pub async fn count(list: &[&Mutex<u64>]) {
    for counter in list {
        let mut count = counter.lock().await;
        *count += 1;
        black_box(()); // Here it has to be locked.
    }
}

/// The same without waiting, as is possible outside of tasks, too.
#[inline(never)]
pub fn try_count(list: &[&Mutex<u64>]) {
    for counter in list {
        let mut count = counter.try_lock().expect("no one else has it");
        *count += 1;
        black_box(()); // Here it has to be locked.
    }
}
