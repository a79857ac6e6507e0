//! Measures, in this process, how long workers need for everything except
//! running tasks.

use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_deque::{Steal, Worker};
use harness::work::{rounds_in, work};
use harness::{pin_this_thread, room_for_cores, Cell};
use measurement::Source;
use schedulers::{Executor, Policy as Scheduler};

/// How many measurements the median is taken over.
const TRIES: usize = 40;

/// The maximum time that a thread spins while it waits for another core,
/// which may never respond.
const PATIENCE: Duration = Duration::from_millis(20);

/// The time that workers need for anything other than running tasks, in
/// nanoseconds, and the factor `company`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    /// The time from starting a thread until it runs.
    pub(super) thread: f64,
    /// The time that a worker needs to spawn a task.
    pub(super) spawn: f64,
    /// The time that a worker needs to poll a task and complete it.
    pub(super) hand_over: f64,
    /// The time from spawning a task until a sleeping worker has woken up to
    /// run it.
    pub(super) wake_up: f64,
    /// The time that a worker needs to steal if it is awake.
    pub(super) steal: f64,
    /// The factor by which work takes longer while another core works, too.
    pub(super) company: f64,
}

impl Prices {
    pub(super) const NONE: Prices = Prices {
        thread: 0.0,
        spawn: 0.0,
        hand_over: 0.0,
        wake_up: 0.0,
        steal: 0.0,
        company: 1.0,
    };

    /// Returns the times that workers need on this machine in addition to
    /// running tasks. The times are measured once per process.
    ///
    /// # Errors
    ///
    /// If the times cannot be measured here, with the reason.
    pub(super) fn measured() -> Result<Prices, String> {
        static MEASURED: LazyLock<Result<Prices, String>> =
            LazyLock::new(measure);
        MEASURED.clone()
    }
}

const THREAD: &str = "time per thread";
const SPAWN: &str = "time per spawn";
const HAND_OVER: &str = "time per hand-over";
const WAKE_UP: &str = "wake-up";
const STEAL: &str = "time per steal";
const COMPANY: &str = "ratio of work in company to work alone";

const OURS: &str = Scheduler::Stealing.contender();

/// Creates the benchmarks that report the measured [`Prices`].
pub(super) fn cells() -> [Cell; 3] {
    let cell = |contender, quantities: &[&str], of: fn(Prices) -> Vec<f64>| {
        let take = move || Prices::measured().map(of);
        Cell::readings(contender, Source::Harness, quantities, take)
            .needs(|| room_for_cores(2))
    };
    [
        cell("std::thread", &[THREAD], |of| vec![of.thread]),
        cell(OURS, &[SPAWN, HAND_OVER, WAKE_UP, STEAL], |of| {
            vec![of.spawn, of.hand_over, of.wake_up, of.steal]
        }),
        cell("baseline", &[COMPANY], |of| vec![of.company]),
    ]
}

/// Returns the names of the results that a simulated batch on threads uses.
pub(super) fn of_threads() -> Vec<String> {
    vec![row("std::thread", THREAD), row("baseline", COMPANY)]
}

/// Returns the names of the results that a simulated batch with stealing
/// workers uses.
pub(super) fn of_stealing() -> Vec<String> {
    let ours = [SPAWN, HAND_OVER, WAKE_UP, STEAL].map(|of| row(OURS, of));
    ours.into_iter().chain([row("baseline", COMPANY)]).collect()
}

fn row(of: &str, quantity: &str) -> String {
    format!("simulated: {of}, {quantity}")
}

fn measure() -> Result<Prices, String> {
    let [spawn, hand_over] = spawn_and_hand_over().map_err(not_started)?;
    Ok(Prices {
        thread: median_of(thread),
        spawn,
        hand_over,
        wake_up: wake_up().map_err(not_started)?,
        steal: median_of(steal),
        company: company()?,
    })
}

/// Starts two threads, one after the other. Returns half of the time until
/// both are running, in nanoseconds.
fn thread() -> f64 {
    const THREADS: usize = 2;
    let start = Instant::now();
    let begun = thread::scope(|scope| {
        let begin = |_| scope.spawn(Instant::now);
        let threads: Vec<_> = (0..THREADS).map(begin).collect();
        let begun = threads.into_iter().map(|thread| thread.join());
        begun.map(|begun| begun.expect("a clock does not panic")).max()
    });
    let last = begun.expect("there are threads");
    nanoseconds(last - start) / THREADS as f64
}

/// Returns the time to spawn an empty task, and the time to poll it and
/// collect its result. There is only one worker, so that spawning wakes no
/// other worker.
fn spawn_and_hand_over() -> io::Result<[f64; 2]> {
    const TASKS: usize = 1_000;
    let executor = Executor::new(Scheduler::Stealing, 1)?;
    let tries = || {
        executor.block_on(async {
            let start = Instant::now();
            let spawn = |_| schedulers::spawn(async {});
            let handles: Vec<_> = (0..TASKS).map(spawn).collect();
            let spawned = Instant::now();
            for handle in handles {
                handle.await.expect("no task panics");
            }
            [spawned - start, spawned.elapsed()].map(nanoseconds)
        })
    };
    let tries: Vec<[f64; 2]> = (0..TRIES).map(|_| tries()).collect();
    let of = |part: usize| {
        median(tries.iter().map(|of| of[part]).collect()) / TASKS as f64
    };
    Ok([of(0), of(1)])
}

/// Returns the time from spawning a task until a sleeping worker has taken
/// it. The spawning worker doesn't look for tasks meanwhile.
fn wake_up() -> io::Result<f64> {
    let executor = Executor::new(Scheduler::Stealing, 2)?;
    let once = || {
        // Waits until the workers are most likely asleep.
        thread::sleep(Duration::from_millis(1));
        executor.block_on(async {
            let begun = Arc::new(AtomicU64::new(u64::MAX));
            let start = Instant::now();
            let spawn = || {
                let begun = Arc::clone(&begun);
                schedulers::spawn(async move {
                    let now = start.elapsed().as_nanos() as u64;
                    begun.fetch_min(now, Ordering::Relaxed);
                })
            };
            // The worker that spawns the first task keeps that task for
            // itself, so the first task wakes no other worker.
            let handles = [spawn(), spawn()];
            spin_until(|| begun.load(Ordering::Relaxed) < u64::MAX);
            for handle in handles {
                handle.await.expect("no task panics");
            }
            begun.load(Ordering::Relaxed) as f64
        })
    };
    Ok(median((0..TRIES).map(|_| once()).collect()))
}

/// Returns how long it takes to steal from a queue that another core has just
/// filled.
fn steal() -> f64 {
    const QUEUED: usize = 64;
    let filled = AtomicUsize::new(0);
    let theirs = Worker::new_fifo();
    let victim = theirs.stealer();
    thread::scope(|scope| {
        let filled = &filled;
        scope.spawn(move || {
            (0..QUEUED).for_each(|task| theirs.push(task));
            filled.store(1, Ordering::Release);
            // The queue belongs to the other core until that core sets
            // `filled` to 2.
            spin_until(|| filled.load(Ordering::Acquire) == 2);
        });
        spin_until(|| filled.load(Ordering::Acquire) == 1);
        let own = Worker::new_fifo();
        let start = Instant::now();
        let stolen = victim.steal_batch_and_pop(&own);
        let took = start.elapsed();
        filled.store(2, Ordering::Release);
        // A steal from an empty queue isn't counted. The queue is only empty
        // if the other thread has given up waiting.
        if matches!(stolen, Steal::Success(_)) {
            nanoseconds(took)
        } else {
            f64::NAN
        }
    })
}

/// Returns the time that work takes on two threads at once, each on its own
/// core, relative to the time that it takes on one thread alone.
fn company() -> Result<f64, String> {
    // The work takes much longer than waking a thread, so a late start of the
    // second thread is negligible.
    const WORK: Duration = Duration::from_millis(4);
    let rounds = rounds_in(WORK);
    let mean_time = |threads: usize| -> Result<f64, String> {
        let all_there = Barrier::new(threads);
        let member = |place| {
            let pinned = pin_this_thread(place);
            all_there.wait();
            let start = Instant::now();
            work(rounds);
            pinned.map(|()| nanoseconds(start.elapsed()))
        };
        thread::scope(|scope| {
            let member = &member;
            let start = |place| scope.spawn(move || member(place));
            let members: Vec<_> = (0..threads).map(start).collect();
            let times = members.into_iter().map(|member| member.join());
            let times = times.map(|time| time.expect("work does not panic"));
            Ok(times.sum::<Result<f64, String>>()? / threads as f64)
        })
    };
    let ratio = || Ok(mean_time(2)? / mean_time(1)?);
    let ratios: Result<Vec<f64>, String> =
        (0..TRIES / 2).map(|_| ratio()).collect();
    ratios.map(median)
}

/// Spins until `is_so` returns true, but no longer than [`PATIENCE`].
fn spin_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() && start.elapsed() < PATIENCE {
        spin_loop();
    }
}

fn median_of(once: impl Fn() -> f64) -> f64 {
    median((0..TRIES).map(|_| once()).collect())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.retain(|figure| figure.is_finite());
    measurement::statistics::median(&figures)
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}

fn not_started(error: io::Error) -> String {
    format!("the executor cannot be started here: {error}")
}
