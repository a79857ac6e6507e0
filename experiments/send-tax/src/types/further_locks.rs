//! Locks that are measured but not shown on the chapter's page.

/// Adds one to counters that parking_lot's mutex protects.
pub mod parking_lot_mutex {
    use std::hint::black_box;

    use parking_lot::Mutex;

    /// Adds one to each counter in `list`.
    #[inline(never)]
    pub fn count(list: &[&Mutex<u64>]) {
        for counter in list {
            let mut count = counter.lock();
            *count += 1;
            black_box(()); // Keeps the compiler from removing the lock.
        }
    }
}

/// Reads, or adds one to, numbers that parking_lot's readers-writer lock
/// protects.
pub mod parking_lot_rw_lock {
    use std::hint::black_box;

    use parking_lot::RwLock;

    /// Adds one to each counter in `list`.
    #[inline(never)]
    pub fn count(list: &[&RwLock<u64>]) {
        for counter in list {
            let mut count = counter.write();
            *count += 1;
            black_box(()); // Keeps the compiler from removing the lock.
        }
    }

    /// Adds up the numbers in `list`.
    #[inline(never)]
    pub fn read(list: &[&RwLock<u64>]) -> u64 {
        let mut sum = 0;
        for lock in list {
            let number = lock.read();
            sum += *number;
            black_box(()); // Keeps the compiler from removing the lock.
        }
        sum
    }
}

/// Reads, or adds one to, numbers that the standard library's readers-writer
/// lock protects.
pub mod std_rw_lock {
    use std::hint::black_box;
    use std::sync::RwLock;

    /// Adds one to each counter in `list`.
    #[inline(never)]
    pub fn count(list: &[&RwLock<u64>]) {
        for counter in list {
            let mut count = counter.write().expect("no one panics with it");
            *count += 1;
            black_box(()); // Keeps the compiler from removing the lock.
        }
    }

    /// Adds up the numbers in `list`.
    #[inline(never)]
    pub fn read(list: &[&RwLock<u64>]) -> u64 {
        let mut sum = 0;
        for lock in list {
            let number = lock.read().expect("no one panics with it");
            sum += *number;
            black_box(()); // Keeps the compiler from removing the lock.
        }
        sum
    }
}

/// Adds one to counters that Tokio's mutex protects.
pub mod tokio_mutex {
    use std::hint::black_box;

    use tokio::sync::Mutex;

    /// Adds one to each counter in `list`.
    pub async fn count(list: &[&Mutex<u64>]) {
        for counter in list {
            let mut count = counter.lock().await;
            *count += 1;
            black_box(()); // Keeps the compiler from removing the lock.
        }
    }

    /// Adds one to each counter of the list with `try_lock`, which works
    /// outside of tasks, too.
    #[inline(never)]
    pub fn try_count(list: &[&Mutex<u64>]) {
        for counter in list {
            let mut count = counter.try_lock().expect("no one else has it");
            *count += 1;
            black_box(()); // Keeps the compiler from removing the lock.
        }
    }
}
