//! The fingerprint of this machine: which one a run is on, as far as it can be told from inside by
//! trying, in a moment.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use measurement::statistics::median;
use measurement::Fingerprint;

use crate::cores::{self, pin_this_thread, room_for_cores};
use crate::kernel_files::KernelFiles;
use crate::probe::{chains, xorshift};
use crate::processor::Processor;

/// With more CPUs, only pairs with the first are tried.
const ALL_PAIRS: usize = 8;

/// One try of throughput, in seconds.
const TRY: f64 = 1e-3;

/// All tries of throughput together, on few CPUs.
const THROUGHPUT: f64 = 0.2;

/// In so many passes through CPUs and pairs, so that a slow moment is not all that
/// one of them sees.
const PASSES: usize = 10;

/// A line's round trips are timed so many at once: reading the clock takes as long
/// as some.
const TRIPS: u64 = 50;
/// The median of so many times.
const TRIP_TIMES: u64 = 100;

/// Finds out what a run can know of its machine, in some 300 ms on few CPUs; while
/// it computes, nothing else of the run should.
pub fn take() -> Fingerprint {
    let files = KernelFiles::of_this_computer();
    let room = room_for_cores(2);
    let cpus = room.and_then(|()| cores::usable()).unwrap_or_default();
    let pairs = pairs(cpus.len());
    Fingerprint {
        siblings: siblings(cpus.len(), &pairs),
        line_ns: line_ns(&cpus, &pairs),
        clock_ghz: clock_ghz(cpus.len()),
        tsc_ghz: tsc_ghz(&files),
        boot: files.text("/proc/sys/kernel/random/boot_id"),
    }
}

/// How long a cache line takes from the first CPU to the last and back, in ns,
/// now: within minutes it may be another time, as if the host had moved a CPU.
/// `None` where there is one CPU, or threads cannot be pinned.
pub fn line_now() -> Option<f64> {
    room_for_cores(2).ok()?;
    let last = cores::usable().ok()?.len() - 1;
    round_trip_ns(0, last)
}

/// Pairs of places among the CPUs.
fn pairs(cpus: usize) -> Vec<(usize, usize)> {
    let firsts = if cpus > ALL_PAIRS { 1 } else { cpus };
    let with = |first| (first + 1..cpus).map(move |second| (first, second));
    (0..firsts).flat_map(with).collect()
}

/// What threads find, each pinned to one of the places and told which of them it is; `None` if threads cannot
/// be pinned to them.
fn pinned<T: Send>(places: &[usize], find: impl Fn(usize) -> T + Sync) -> Option<Vec<T>> {
    let find = &find;
    thread::scope(|scope| {
        let on = |(number, &place): (usize, &usize)| {
            scope.spawn(move || {
                let pinned = pin_this_thread(place);
                // All the same, since another may wait for it.
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

fn siblings(cpus: usize, pairs: &[(usize, usize)]) -> Option<f64> {
    let mut steps = 1_000;
    while time(steps) < TRY {
        steps *= 2;
    }
    let of_all = THROUGHPUT / time(steps);
    let tries = (of_all as usize / PASSES / (cpus + pairs.len()).max(1)).max(1);
    let mut alone = vec![f64::INFINITY; cpus];
    let mut at_once = vec![Vec::new(); pairs.len()];
    for _ in 0..PASSES {
        for (place, best) in alone.iter_mut().enumerate() {
            let times = times(&[place], steps, tries)?.remove(0);
            *best = times.into_iter().fold(*best, f64::min);
        }
        for (all, &(one, other)) in at_once.iter_mut().zip(pairs) {
            all.push(times(&[one, other], steps, tries)?);
        }
    }
    let ratios = at_once.iter().zip(pairs).filter_map(|(passes, &(one, other))| {
        let tries = passes.iter().flat_map(|times| times[0].iter().zip(&times[1]));
        // Where one was interrupted, the other was alone: the slower one counts.
        let slower =
            tries.map(|(of_one, of_other)| (of_one / alone[one]).max(of_other / alone[other]));
        slower.reduce(f64::min)
    });
    ratios.reduce(f64::max).map(|ratio| rounded(ratio, 1_000.0))
}

/// The times of CPUs that compute at once, of each try by try.
fn times(places: &[usize], steps: u64, tries: usize) -> Option<Vec<Vec<f64>>> {
    let arrived = AtomicUsize::new(0);
    let once = |number: usize| {
        arrived.fetch_add(1, Ordering::AcqRel);
        spin_until(|| arrived.load(Ordering::Acquire) >= places.len() * number);
        time(steps)
    };
    pinned(places, |_| (1..=tries).map(once).collect())
}

/// How many seconds so many steps of the chains take.
fn time(steps: u64) -> f64 {
    let start = Instant::now();
    black_box(chains(steps));
    start.elapsed().as_secs_f64()
}

/// Without telling the CPU that it waits, which some answer with a pause of many
/// round trips of a line.
fn spin_until(is_so: impl Fn() -> bool) {
    while !is_so() {}
}

fn line_ns(cpus: &[usize], pairs: &[(usize, usize)]) -> Option<Vec<(usize, usize, f64)>> {
    let trip = |&(one, other)| Some((cpus[one], cpus[other], round_trip_ns(one, other)?));
    let trips: Option<Vec<_>> = pairs.iter().map(trip).collect();
    trips.filter(|trips| !trips.is_empty())
}

/// A number on cache lines of its own: some processors fetch them in twos.
#[repr(align(128))]
struct CacheLine(AtomicU64);

/// One thread writes odd numbers, and the other answers each with the next even one.
fn round_trip_ns(one: usize, other: usize) -> Option<f64> {
    let line = CacheLine(AtomicU64::new(0));
    let times = pinned(&[one, other], |thread| {
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

/// As [`Fingerprint::clock_ghz`] says.
fn clock_ghz(cpus: usize) -> Option<f64> {
    /// Of a step of xorshift: three shifts and three exclusive ors.
    const CYCLES: f64 = 6.0;
    /// About a millisecond.
    const STEPS: u64 = 500_000;
    const TRIES: usize = 30;

    if cfg!(any(not(target_arch = "x86_64"), debug_assertions)) {
        return None;
    }
    let tries = || {
        // Where threads cannot be pinned, the best try is of some CPU.
        drop(pin_this_thread(cpus.saturating_sub(1)));
        let once = |_| {
            let start = Instant::now();
            let steps = 0..black_box(STEPS);
            black_box(steps.fold(black_box(1), |x, _| xorshift(x)));
            start.elapsed().as_nanos()
        };
        (0..TRIES).map(once).min()
    };
    let best = thread::scope(|scope| scope.spawn(tries).join());
    let ns = best.expect("arithmetic does not panic")? as f64;
    Some(rounded(STEPS as f64 * CYCLES / ns, 1_000.0))
}

/// As [`Fingerprint::tsc_ghz`] says; where it is constant is known on Linux.
fn tsc_ghz(files: &KernelFiles) -> Option<f64> {
    let processor = Processor::read(files)?;
    if !(processor.has("constant_tsc")? && processor.has("nonstop_tsc")?) {
        return None;
    }
    let (ticks_before, before) = tick()?;
    thread::sleep(Duration::from_millis(20));
    let (ticks_after, after) = tick()?;
    let ticks = ticks_after.saturating_sub(ticks_before) as f64;
    Some(rounded(ticks / (after - before).as_nanos() as f64, 1_000.0))
}

/// The time-stamp counter, and the time at which it was so. The closest of some
/// readings: between the two an interrupt may have come.
fn tick() -> Option<(u64, Instant)> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction, and the counter is only
    // read. Where the kernel forbids it to programs, the process ends by a signal;
    // Linux does so for programs alone that ask for it (PR_SET_TSC).
    let counter = || unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    let counter = || 0;
    let reading = |_| {
        let before = counter();
        let at = Instant::now();
        let apart = counter().saturating_sub(before);
        (apart, before, at)
    };
    let (apart, before, at) = (0..9).map(reading).min()?;
    Some((before + apart / 2, at))
}

/// To a part of 1.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_cpus_are_tried_in_all_pairs_and_many_with_the_first() {
        assert_eq!(pairs(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!([0, 1, 8, 9].map(|cpus| pairs(cpus).len()), [0, 0, 28, 8]);
        assert!(pairs(9).iter().all(|&(first, _)| first == 0));
        // One CPU shares nothing with another.
        assert_eq!((siblings(1, &[]), line_ns(&[0], &[])), (None, None));
    }

    /// Bounds that no machine of today is near: a fault of a unit or of a number
    /// of operations would be beyond them.
    #[test]
    fn this_machine_is_possible() {
        let host = take();
        println!("{}", serde_json::to_string(&host).unwrap());
        let can_pin = room_for_cores(2).is_ok();
        assert_eq!(host.siblings.is_some(), can_pin, "{host:?}");
        assert_eq!(host.line_ns.is_some(), can_pin, "{host:?}");
        for &(one, other, ns) in host.line_ns.iter().flatten() {
            assert_ne!(one, other);
            assert!((5.0..100_000.0).contains(&ns), "{host:?}");
        }
        // With others about, it may be far above 2.
        assert!(host.siblings.is_none_or(|ratio| ratio > 0.5), "{host:?}");
        assert_eq!(host.boot.is_some(), cfg!(target_os = "linux"));
        for ghz in host.clock_ghz.iter().chain(&host.tsc_ghz) {
            assert!((0.3..8.0).contains(ghz), "{host:?}");
        }
    }
}
