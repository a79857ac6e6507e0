//! A wrong way to measure: times each touch of memory separately, between two
//! time stamps.

use crate::listings::moved::state::Line;
use crate::touch::Touch;

/// Returns the time of a touch in nanoseconds, as measured by time stamps
/// around it: the mean of the two cores' medians. The cores take turns, and
/// each touches its own entry of `states`.
///
/// # Errors
///
/// If threads cannot be pinned, or the touches don't return the right result.
#[cfg(target_arch = "x86_64")]
pub(crate) fn by_time_stamps(
    touch: Touch,
    states: [&[Line]; 2],
) -> Result<f64, String> {
    use std::thread;
    use std::time::Instant;

    use harness::pin_this_thread;
    use measurement::statistics::median;

    use crate::listings::moved::time_stamps::{counter, stamped};
    use crate::listings::moved::turn::Turn;

    /// The number of turns. They take long enough to determine the counter's
    /// frequency too.
    const TURNS: u64 = 8_192;

    let turn = Turn::default();
    let at = |place: usize| {
        let pinned = pin_this_thread(place);
        let mut ticks = Vec::with_capacity(TURNS as usize);
        let (began, counted) = (Instant::now(), counter());
        let sum = turn.take(0..TURNS, place as u64, || {
            let (sum, took) = stamped(|| touch.of(states[place]));
            ticks.push(took as f64);
            sum
        });
        let all = counter().wrapping_sub(counted) as f64;
        let ns_per_tick = began.elapsed().as_secs_f64() * 1e9 / all;
        // The other thread waits for this thread's turns. So if pinning
        // failed, the error is returned only after all turns.
        pinned.map(|()| (sum, median(&ticks) * ns_per_tick))
    };
    let [first, other] = thread::scope(|scope| {
        let threads = [scope.spawn(|| at(0)), scope.spawn(|| at(1))];
        threads.map(|thread| thread.join().expect("it does not panic"))
    });
    let (first, other) = (first?, other?);
    let (sum, expected) =
        (first.0 + other.0, touch.sum(states[0].len(), TURNS));
    if sum != expected {
        return Err(format!("touches returned {sum}, not {expected}"));
    }
    Ok((first.1 + other.1) / 2.0)
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn by_time_stamps(
    _touch: Touch,
    _states: [&[Line]; 2],
) -> Result<f64, String> {
    has_time_stamps().map(|()| f64::INFINITY)
}

/// # Errors
///
/// If this processor has no time-stamp counter.
pub(crate) fn has_time_stamps() -> Result<(), String> {
    if cfg!(target_arch = "x86_64") {
        Ok(())
    } else {
        Err("only x86-64 has this time-stamp counter".to_owned())
    }
}
