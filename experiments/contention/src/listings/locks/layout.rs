//! Where the threads' counters are in memory: one counter for all threads, or
//! one counter per thread, either next to each other or on separate cache
//! lines.

/// A value with a cache line to itself. The neighbouring line is kept free,
/// too, since the processor may fetch lines in pairs.
#[derive(Default)]
#[repr(align(128))]
pub struct Padded<T>(pub T);

/// Returns the same counter for every thread.
pub fn shared<T: Default>(threads: usize) -> Vec<&'static T> {
    let Padded(one) = Box::leak(Box::<Padded<T>>::default());
    vec![&*one; threads]
}

/// Returns one counter per thread, side by side. The first is at the
/// beginning of a cache line.
pub fn adjacent<T: Default>(threads: usize) -> Vec<&'static T> {
    // Allocates 128 extra counters, so that one of them is at the start of a
    // cache line, wherever the allocation begins.
    let some = threads + 128;
    let row: Vec<T> = (0..some).map(|_| T::default()).collect();
    let begins = |one: &&T| std::ptr::from_ref(*one).addr().is_multiple_of(128);
    let row = row.leak().iter().skip_while(|one| !begins(one));
    row.take(threads).collect()
}

/// Returns one counter per thread, each on its own cache lines.
pub fn padded<T: Default>(threads: usize) -> Vec<&'static T> {
    let row = (0..threads).map(|_| Padded::default()).collect::<Vec<_>>();
    row.leak().iter().map(|Padded(one)| one).collect()
}
