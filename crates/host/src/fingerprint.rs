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
use crate::probe::chains;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
use crate::probe::xorshift;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use crate::processor::Processor;

/// With more CPUs, only pairs with the first are tried.
const ALL_PAIRS: usize = 8;

/// One try of throughput or of the clock.
const TRY: Duration = Duration::from_millis(1);

/// All tries of throughput together, on few CPUs.
const THROUGHPUT: Duration = Duration::from_millis(200);

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
    let cpus = match room_for_cores(2) {
        Ok(()) => cores::usable().unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    let pairs = pairs(cpus.len());
    Fingerprint {
        siblings: siblings(cpus.len(), &pairs),
        line_ns: line_ns(&cpus, &pairs),
        clock_ghz: clock_ghz(cpus.len()),
        tsc_ghz: tsc_ghz(),
        boot: boot(),
    }
}

/// How long a cache line takes from the first CPU to the last and back, in ns,
/// now: within minutes it may be another time, as if the host had moved a CPU.
/// `None` where there is one CPU, or threads cannot be pinned.
pub fn line_now() -> Option<f64> {
    room_for_cores(2).ok()?;
    let last = cores::usable().ok()?.len() - 1;
    round_trip_ns(0, last).map(|ns| rounded(ns, 10.0))
}

/// Pairs of places among the CPUs.
fn pairs(cpus: usize) -> Vec<(usize, usize)> {
    let firsts = if cpus > ALL_PAIRS { 1 } else { cpus };
    let with = |first| (first + 1..cpus).map(move |second| (first, second));
    (0..firsts).flat_map(with).collect()
}

fn siblings(cpus: usize, pairs: &[(usize, usize)]) -> Option<f64> {
    let steps = steps_for(TRY);
    let of_all = THROUGHPUT.as_secs_f64() / time(steps).as_secs_f64();
    let of_a_pass = of_all as usize / PASSES / (cpus + pairs.len()).max(1);
    let tries = of_a_pass.max(1);
    let mut alone = vec![Duration::MAX; cpus];
    let mut at_once = vec![Vec::new(); pairs.len()];
    for _ in 0..PASSES {
        for (place, best) in alone.iter_mut().enumerate() {
            *best = alone_on(place, steps, tries)?.min(*best);
        }
        for (times, &(one, other)) in at_once.iter_mut().zip(pairs) {
            times.extend(together(one, other, steps, tries)?);
        }
    }
    let ratio = |time: Duration, place: usize| time.as_secs_f64() / alone[place].as_secs_f64();
    let ratios = at_once.iter().zip(pairs).filter_map(|(times, pair)| {
        // Where one was interrupted, the other was alone: the slower one counts.
        let slower = times
            .iter()
            .map(|(of_one, of_other)| ratio(*of_one, pair.0).max(ratio(*of_other, pair.1)));
        slower.reduce(f64::min)
    });
    ratios.reduce(f64::max).map(|ratio| rounded(ratio, 1_000.0))
}

/// The best time of one CPU while the others have nothing to do; `None` if threads
/// cannot be pinned to it.
fn alone_on(place: usize, steps: u64, tries: usize) -> Option<Duration> {
    let tries = || {
        pin_this_thread(place).ok()?;
        (0..tries).map(|_| time(steps)).min()
    };
    let best = thread::scope(|scope| scope.spawn(tries).join());
    best.expect("arithmetic does not panic")
}

/// How many steps of the chains take so long, or up to twice that.
fn steps_for(wanted: Duration) -> u64 {
    let mut steps = 1_000;
    while time(steps) < wanted {
        steps *= 2;
    }
    steps
}

fn time(steps: u64) -> Duration {
    let start = Instant::now();
    black_box(chains(steps));
    start.elapsed()
}

/// The times of two CPUs that compute at once, try by try; `None` if threads cannot
/// be pinned to them.
fn together(
    one: usize,
    other: usize,
    steps: u64,
    tries: usize,
) -> Option<impl Iterator<Item = (Duration, Duration)>> {
    let arrived = AtomicUsize::new(0);
    let tries_of = |place: usize| {
        let pinned = pin_this_thread(place);
        let times: Vec<Duration> = (1..=tries)
            .map(|number| {
                arrived.fetch_add(1, Ordering::AcqRel);
                spin_until(|| arrived.load(Ordering::Acquire) >= 2 * number);
                time(steps)
            })
            .collect();
        pinned.map(|()| times)
    };
    let (one, other) = thread::scope(|scope| {
        let one = scope.spawn(|| tries_of(one));
        let other = scope.spawn(|| tries_of(other));
        let join = "arithmetic does not panic";
        (one.join().expect(join), other.join().expect(join))
    });
    Some(one.ok()?.into_iter().zip(other.ok()?))
}

/// Without telling the CPU that it waits, which some answer with a pause of many
/// round trips of a line.
fn spin_until(is_so: impl Fn() -> bool) {
    loop {
        if is_so() {
            return;
        }
    }
}

fn line_ns(cpus: &[usize], pairs: &[(usize, usize)]) -> Option<Vec<(usize, usize, f64)>> {
    let trip = |&(one, other): &(usize, usize)| {
        let ns = round_trip_ns(one, other)?;
        Some((cpus[one], cpus[other], rounded(ns, 10.0)))
    };
    let trips: Vec<_> = pairs.iter().map(trip).collect::<Option<_>>()?;
    (!trips.is_empty()).then_some(trips)
}

/// A number on cache lines of its own: some processors fetch them in twos.
#[repr(align(128))]
struct CacheLine(AtomicU64);

/// One thread writes odd numbers, and the other answers each with the next even one.
fn round_trip_ns(one: usize, other: usize) -> Option<f64> {
    let line = CacheLine(AtomicU64::new(0));
    let is = |number| line.0.load(Ordering::Acquire) == number;
    let trips = TRIPS * TRIP_TIMES;
    let (pinned, times) = thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let pinned = pin_this_thread(other);
            for trip in 0..trips {
                spin_until(|| is(2 * trip + 1));
                line.0.store(2 * trip + 2, Ordering::Release);
            }
            pinned
        });
        let asking = scope.spawn(|| {
            let pinned = pin_this_thread(one);
            let times: Vec<f64> = (0..TRIP_TIMES)
                .map(|time| {
                    let start = Instant::now();
                    for trip in time * TRIPS..(time + 1) * TRIPS {
                        line.0.store(2 * trip + 1, Ordering::Release);
                        spin_until(|| is(2 * trip + 2));
                    }
                    start.elapsed().as_secs_f64() * 1e9 / TRIPS as f64
                })
                .collect();
            pinned.map(|()| times)
        });
        let join = "stores do not panic";
        (answering.join().expect(join), asking.join().expect(join))
    });
    pinned.ok()?;
    Some(median(&times.ok()?))
}

/// As [`Fingerprint::clock_ghz`] says.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
fn clock_ghz(cpus: usize) -> Option<f64> {
    /// Of a step of xorshift: three shifts and three exclusive ors.
    const CYCLES: f64 = 6.0;
    /// About a millisecond.
    const STEPS: u64 = 500_000;
    const TRIES: usize = 30;

    let tries = || {
        // Where threads cannot be pinned, the best try is of some CPU.
        drop(pin_this_thread(cpus.saturating_sub(1)));
        let once = |_| {
            let start = Instant::now();
            let steps = 0..black_box(STEPS);
            black_box(steps.fold(black_box(1), |x, _| xorshift(x)));
            start.elapsed()
        };
        (0..TRIES).map(once).min()
    };
    let best = thread::scope(|scope| scope.spawn(tries).join());
    let best = best.expect("arithmetic does not panic")?;
    let ns = best.as_secs_f64() * 1e9;
    Some(rounded(STEPS as f64 * CYCLES / ns, 1_000.0))
}

#[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
fn clock_ghz(_cpus: usize) -> Option<f64> {
    None
}

/// As [`Fingerprint::tsc_ghz`] says; where it is constant is known on Linux.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn tsc_ghz() -> Option<f64> {
    let processor = Processor::read(&KernelFiles::of_this_computer())?;
    if !(processor.has("constant_tsc")? && processor.has("nonstop_tsc")?) {
        return None;
    }
    let (ticks_before, before) = tick();
    thread::sleep(Duration::from_millis(20));
    let (ticks_after, after) = tick();
    let ns = after.duration_since(before).as_secs_f64() * 1e9;
    let ticks = ticks_after.saturating_sub(ticks_before) as f64;
    Some(rounded(ticks / ns, 1_000.0))
}

/// The time-stamp counter, and the time at which it was so. The closest of some
/// readings: between the two an interrupt may have come.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn tick() -> (u64, Instant) {
    // SAFETY: every x86-64 processor has this instruction, and the counter is only
    // read. Where the kernel forbids it to programs, the process ends by a signal;
    // Linux does so for programs alone that ask for it (PR_SET_TSC).
    let counter = || unsafe { core::arch::x86_64::_rdtsc() };
    let reading = |_| {
        let before = counter();
        let at = Instant::now();
        let after = counter();
        (after.saturating_sub(before), before, at)
    };
    let closest = (0..9).map(reading).min().expect("there are readings");
    let (apart, before, at) = closest;
    (before + apart / 2, at)
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn tsc_ghz() -> Option<f64> {
    None
}

fn boot() -> Option<String> {
    KernelFiles::of_this_computer().text("/proc/sys/kernel/random/boot_id")
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
        assert_eq!(pairs(0), []);
        assert_eq!(pairs(1), []);
        assert_eq!(pairs(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(8).len(), 28);
        assert_eq!(pairs(9).len(), 8);
        assert!(pairs(9).iter().all(|&(first, _)| first == 0));
    }

    #[test]
    fn one_cpu_shares_nothing_with_another() {
        assert_eq!(siblings(1, &pairs(1)), None);
        assert_eq!(line_ns(&[0], &pairs(1)), None);
    }

    #[test]
    fn what_is_not_known_is_absent() {
        let nothing = serde_json::to_string(&Fingerprint::default()).unwrap();
        assert_eq!(nothing, "{}");
        let some = Fingerprint {
            siblings: Some(1.02),
            line_ns: Some(vec![(0, 1, 112.5)]),
            ..Fingerprint::default()
        };
        let text = serde_json::to_string(&some).unwrap();
        assert_eq!(text, r#"{"siblings":1.02,"line_ns":[[0,1,112.5]]}"#);
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), some);
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
