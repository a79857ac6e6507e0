//! Two threads on a core each, for what is read otherwise than in visits.

use std::thread;
use std::time::{Duration, Instant};

use harness::pin_this_thread;

use crate::listings::moved::turn::Turn;

/// What `work` returns on either of two cores, told its place. All is done on both
/// before it is said that one could not be pinned: each may wait for the other.
///
/// # Errors
///
/// If threads cannot be pinned here, with the reason.
pub(crate) fn on_two_cores<T: Send>(
    work: impl Fn(usize) -> T + Sync,
) -> Result<[T; 2], String> {
    let of = |place: usize| {
        let pinned = pin_this_thread(place);
        let done = work(place);
        pinned.map(|()| done)
    };
    let [first, other] = thread::scope(|scope| {
        let other = scope.spawn(|| of(1));
        let first = scope.spawn(|| of(0));
        [first, other].map(|thread| thread.join().expect("it does not panic"))
    });
    Ok([first?, other?])
}

/// The time of a turn of two threads that take so many turns at `touch`, which is
/// told the place. All that it returned is added up, with as many turns before the
/// clock starts.
///
/// # Errors
///
/// If threads cannot be pinned here, with the reason.
pub(crate) fn time_of_a_turn(
    turns: u32,
    touch: impl Fn(usize) -> u64 + Sync,
) -> Result<(Duration, u64), String> {
    let turn = Turn::default();
    let once = u64::from(turns);
    let [first, other] = on_two_cores(|place| {
        let take = |range| turn.take(range, place as u64, || touch(place));
        let before = take(0..once);
        turn.wait_for(once);
        let start = Instant::now();
        let timed = take(once..2 * once);
        turn.wait_for(2 * once);
        (start.elapsed(), before + timed)
    })?;
    Ok((first.0 / turns, first.1 + other.1))
}
