//! Measures how long it takes to create and drop an object.

use std::hint::black_box;

use super::{timed, Took};

/// The number of objects without a buffer that one measurement creates, one
/// after another.
pub(crate) const SMALL: u64 = 10_000;

/// The number of objects that one measurement creates if they may have a
/// buffer.
pub(crate) const WITH_BUFFER: u64 = 256;

pub(crate) fn made_and_dropped<T>(times: u64, make: impl Fn() -> T) -> Took {
    timed(|| {
        (0..times).for_each(|_| drop(black_box(make())));
        times
    })
}
