//! Counters that an operation has to find, in a static array or in
//! thread-local storage, before it can add one.

/// Adds one to counters that all threads share.
pub mod static_fetch_add {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Counters that all threads share.
    pub static COUNTERS: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

    /// Adds one to each counter whose index is in `list`.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// Adds one to a counter. Never inlined, so that the counters have to be
    /// found each time.
    #[inline(never)]
    fn add_one(place: usize) {
        COUNTERS[place].fetch_add(1, Relaxed);
    }
}

/// Adds one to counters that all threads share, by a load and a store. This
/// is correct only if a single thread writes.
pub mod static_load_store {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Counters that all threads share.
    pub static COUNTERS: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

    /// Adds one to each counter whose index is in `list`.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// Adds one to a counter. Never inlined, so that the counters have to be
    /// found each time.
    #[inline(never)]
    fn add_one(place: usize) {
        let counter = &COUNTERS[place];
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }
}

/// Adds one to thread-local counters with a constant initial value.
pub mod thread_local_const {
    use std::cell::Cell;

    thread_local! {
        /// The counters of the calling thread.
        pub static COUNTERS: [Cell<u64>; 16] =
            const { [const { Cell::new(0) }; 16] };
    }

    /// Adds one to each counter whose index is in `list`.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// Adds one to a counter. Never inlined, so that the counters have to be
    /// found each time.
    #[inline(never)]
    fn add_one(place: usize) {
        COUNTERS.with(|counters| {
            counters[place].set(counters[place].get() + 1);
        });
    }
}

/// Adds one to thread-local counters that are created at the first use.
pub mod thread_local_lazy {
    use std::cell::Cell;

    thread_local! {
        /// The counters of the calling thread.
        pub static COUNTERS: [Cell<u64>; 16] =
            std::array::from_fn(|_| Cell::new(0));
    }

    /// Adds one to each counter whose index is in `list`.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// Adds one to a counter. Never inlined, so that the counters have to be
    /// found each time.
    #[inline(never)]
    fn add_one(place: usize) {
        COUNTERS.with(|counters| {
            counters[place].set(counters[place].get() + 1);
        });
    }
}
