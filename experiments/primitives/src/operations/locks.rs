//! Operations on uncontended locks and semaphores.

use super::{timed, How, Took};
use crate::primitive::{Mutex, RwLock, Semaphore};

const PUBLISHED: u64 = 1_000_000;

/// The number of acquisitions in our measurement. It is smaller than in the
/// published one, because creating the lock is not timed.
const OURS: u64 = 10_000;

const PERMITS: usize = 10;

pub(crate) fn times(how: How) -> u64 {
    match how {
        How::Ours | How::Unconstrained => OURS,
        How::AsPublished => PUBLISHED,
    }
}

fn again_and_again(how: How, mut take: impl FnMut() -> bool) -> Took {
    timed(|| (0..times(how)).filter(|_| take()).count() as u64)
}

pub(crate) fn mutex<M: Mutex>(how: How) -> Took {
    let mutex = how.made(M::new);
    again_and_again(how, || mutex.try_lock())
}

pub(crate) fn rwlock_read<L: RwLock>(how: How) -> Took {
    let lock = how.made(L::new);
    again_and_again(how, || lock.try_read())
}

pub(crate) fn rwlock_write<L: RwLock>(how: How) -> Took {
    let lock = how.made(L::new);
    again_and_again(how, || lock.try_write())
}

pub(crate) fn semaphore<S: Semaphore>(how: How) -> Took {
    let semaphore = how.made(|| S::new(PERMITS));
    again_and_again(how, || semaphore.try_acquire())
}
