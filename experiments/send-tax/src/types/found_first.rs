//! Counters that have to be found first.

/// Adds one in counters that all threads share.
pub mod static_fetch_add {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// The counters of all threads.
    pub static COUNTERS: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

    /// Adds one to each counter of the list, which names them by their places.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// A call each, so that each time the counters have to be found.
    #[inline(never)]
    fn add_one(place: usize) {
        COUNTERS[place].fetch_add(1, Relaxed);
    }
}

/// Adds one in counters that all threads share, as long as only one writes.
pub mod static_load_store {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// The counters of all threads.
    pub static COUNTERS: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

    /// Adds one to each counter of the list, which names them by their places.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// A call each, so that each time the counters have to be found.
    #[inline(never)]
    fn add_one(place: usize) {
        let counter = &COUNTERS[place];
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }
}

/// Adds one in counters that every thread has for itself, whose first value
/// is known when the program is compiled.
pub mod thread_local_const {
    use std::cell::Cell;

    thread_local! {
        /// This thread's counters.
        pub static COUNTERS: [Cell<u64>; 16] =
            const { [const { Cell::new(0) }; 16] };
    }

    /// Adds one to each counter of the list, which names them by their places.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// A call each, so that each time the counters have to be found.
    #[inline(never)]
    fn add_one(place: usize) {
        COUNTERS.with(|counters| {
            counters[place].set(counters[place].get() + 1);
        });
    }
}

/// Adds one in counters that every thread has for itself, made when the
/// thread first uses them.
pub mod thread_local_lazy {
    use std::cell::Cell;

    thread_local! {
        /// This thread's counters.
        pub static COUNTERS: [Cell<u64>; 16] =
            std::array::from_fn(|_| Cell::new(0));
    }

    /// Adds one to each counter of the list, which names them by their places.
    pub fn count(list: &[usize]) {
        list.iter().copied().for_each(add_one);
    }

    /// A call each, so that each time the counters have to be found.
    #[inline(never)]
    fn add_one(place: usize) {
        COUNTERS.with(|counters| {
            counters[place].set(counters[place].get() + 1);
        });
    }
}
