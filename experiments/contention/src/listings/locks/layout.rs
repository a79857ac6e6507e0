//! Where the counters lie that threads have: one for all, or one each, side by
//! side or apart.

/// A value that no other shares a cache line with, nor the line that is fetched
/// along with it.
#[derive(Default)]
#[repr(align(128))]
pub struct Padded<T>(pub T);

/// One for all threads: the same to each.
pub fn shared<T: Default>(threads: usize) -> Vec<&'static T> {
    let Padded(one) = Box::leak(Box::<Padded<T>>::default());
    vec![&*one; threads]
}

/// One each, in a row, which begins where a cache line does.
pub fn adjacent<T: Default>(threads: usize) -> Vec<&'static T> {
    // One of so many begins a line, wherever the row itself begins.
    let some = threads + 128;
    let row: Vec<T> = (0..some).map(|_| T::default()).collect();
    let begins = |one: &&T| std::ptr::from_ref(*one).addr().is_multiple_of(128);
    let row = row.leak().iter().skip_while(|one| !begins(one));
    row.take(threads).collect()
}

/// One each, apart.
pub fn padded<T: Default>(threads: usize) -> Vec<&'static T> {
    let row = (0..threads).map(|_| Padded::default()).collect::<Vec<_>>();
    row.leak().iter().map(|Padded(one)| one).collect()
}
