//! Takes the fingerprint of this machine by a few quick trials. It shows which machine a run is
//! on.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use measurement::statistics::median;
use measurement::Fingerprint;

use crate::cores::{self, pin_this_thread, room_for_cores};
use crate::kernel_files::KernelFiles;
use crate::machine::describe;
use crate::probe::chains;

/// How long one trial of a core's speed takes, in seconds.
const TRY: f64 = 1e-3;

/// The number of passes over all CPUs, and the number of trials per pass, divided among the CPUs.
/// With several passes, a single slow moment doesn't decide a CPU's result.
const PASSES: usize = 10;
const TRIES: usize = 6;

/// How many round trips of a cache line are timed as one group. Reading the clock takes as long
/// as several round trips.
const TRIPS: u64 = 50;
/// The number of groups of round trips. The result is their median.
const TRIP_TIMES: u64 = 100;

/// Takes the fingerprint. This needs about 300 ms on a machine with a few CPUs. Other threads of
/// the run must be idle meanwhile.
pub fn take() -> Fingerprint {
    let cpus = room_for_cores(2).and_then(|()| cores::usable()).unwrap_or_default();
    let machine = describe("this");
    Fingerprint {
        siblings: siblings(cpus.len()),
        idle: machine.idle_setting(),
        kernel: machine.kernel,
        boot: KernelFiles::of_this_computer().text("/proc/sys/kernel/random/boot_id"),
    }
}

/// Measures how long a cache line takes from the first CPU to the last and back, in nanoseconds.
/// The time can change from minute to minute, for example if the host moves a virtual CPU.
/// Returns `None` if there is only one CPU, or if threads cannot be pinned.
pub fn line_now() -> Option<f64> {
    room_for_cores(2).ok()?;
    round_trip_ns(cores::usable().ok()?.len() - 1)
}

/// Runs `find` on one thread per index in `places`, each pinned to the core at that index. Passes
/// the number of the thread to `find`. Returns `None` if threads cannot be pinned.
fn pinned<T: Send>(places: &[usize], find: impl Fn(usize) -> T + Sync) -> Option<Vec<T>> {
    let find = &find;
    thread::scope(|scope| {
        let on = |(number, &place): (usize, &usize)| {
            scope.spawn(move || {
                let pinned = pin_this_thread(place);
                // Calls `find` even if pinning failed, since another thread may be waiting for
                // this one.
                let found = find(number);
                pinned.ok().map(|()| found)
            })
        };
        let threads: Vec<_> = places.iter().enumerate().map(on).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("arithmetic does not panic"))
            .collect()
    })
}

fn siblings(cpus: usize) -> Option<f64> {
    let mut steps = 1_000;
    while seconds(|| chains(steps)) < TRY {
        steps *= 2;
    }
    let tries = (TRIES / cpus.max(1)).max(1);
    let with_the_first = |other| {
        let mut alone = [f64::INFINITY; 2];
        let mut at_once = Vec::new();
        for _ in 0..PASSES {
            for (best, place) in alone.iter_mut().zip([0, other]) {
                let times = times(&[place], steps, tries)?.remove(0);
                *best = times.into_iter().fold(*best, f64::min);
            }
            at_once.push(times(&[0, other], steps, tries)?);
        }
        let tries = at_once.iter().flat_map(|times| times[0].iter().zip(&times[1]));
        // If one CPU was interrupted, the other one worked alone for a while, and its time is too
        // short. So the slower of the two is used.
        let slower = tries.map(|(one, other)| (one / alone[0]).max(other / alone[1]));
        slower.reduce(f64::min)
    };
    let largest = (1..cpus).filter_map(with_the_first).reduce(f64::max);
    largest.map(|ratio| rounded(ratio, 1_000.0))
}

/// Starts the same work of `steps` steps on several CPUs at once, and repeats this `tries` times.
/// Returns one list per CPU, with the time of each trial in seconds.
fn times(places: &[usize], steps: u64, tries: usize) -> Option<Vec<Vec<f64>>> {
    let arrived = AtomicUsize::new(0);
    let once = |number: usize| {
        arrived.fetch_add(1, Ordering::AcqRel);
        spin_until(|| arrived.load(Ordering::Acquire) >= places.len() * number);
        seconds(|| chains(steps))
    };
    pinned(places, |_| (1..=tries).map(once).collect())
}

fn seconds(compute: impl Fn() -> u64) -> f64 {
    let start = Instant::now();
    black_box(compute());
    start.elapsed().as_secs_f64()
}

/// Spins without a pause instruction, because on some CPUs that instruction takes as long as many
/// round trips of a cache line.
fn spin_until(is_so: impl Fn() -> bool) {
    while !is_so() {}
}

/// A number that shares its cache line with no other data. The alignment is two lines, because
/// some processors fetch lines in pairs.
#[repr(align(128))]
struct CacheLine(AtomicU64);

/// Returns how long a round trip of a cache line takes, in nanoseconds. The first CPU writes odd
/// numbers, and CPU `other` answers each with the next even number.
fn round_trip_ns(other: usize) -> Option<f64> {
    let line = CacheLine(AtomicU64::new(0));
    let times = pinned(&[0, other], |thread| {
        let times = (0..TRIP_TIMES).map(|time| {
            let start = Instant::now();
            for trip in time * TRIPS..(time + 1) * TRIPS {
                let turn = 2 * trip + thread as u64;
                spin_until(|| line.0.load(Ordering::Acquire) == turn);
                line.0.store(turn + 1, Ordering::Release);
            }
            start.elapsed().as_secs_f64() * 1e9 / TRIPS as f64
        });
        times.collect::<Vec<f64>>()
    })?;
    Some(rounded(median(&times[0]), 10.0))
}

/// Rounds `value` to a multiple of 1/`parts`.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No existing machine comes near these bounds, but a wrong unit or a wrong number of
    /// operations would exceed them.
    #[test]
    fn this_machine_is_possible() {
        let host = take();
        println!("{}", serde_json::to_string(&host).unwrap());
        // With a single CPU, there is nothing to compare.
        assert_eq!(siblings(1), None);
        let can_pin = room_for_cores(2).is_ok();
        assert_eq!(host.siblings.is_some(), can_pin, "{host:?}");
        let line = line_now();
        assert_eq!(line.is_some(), can_pin && cores::count() > 1, "{line:?}");
        assert!(line.is_none_or(|ns| (5.0..100_000.0).contains(&ns)), "{line:?}");
        // There is no upper bound: the ratio may be far above 2 if other programs are running.
        assert!(host.siblings.is_none_or(|ratio| ratio > 0.5), "{host:?}");
        for told in [&host.boot, &host.kernel, &host.idle] {
            assert_eq!(told.is_some(), cfg!(target_os = "linux"), "{host:?}");
        }
    }
}
