//! Runs one measurement: a worker on each core serves requests for a window
//! of time.

use std::sync::{mpsc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use harness::{pin_this_thread, Measurement};
use measurement::Source;

use super::connection::{Done, Phase};
use super::requests::CORES;

/// How long all cores run operations before counting begins.
const LEAD_IN: Duration = Duration::from_millis(20);

/// An additional result of each measurement: the time that one core needs per
/// operation.
pub(super) const ALSO: [(&str, Source); 1] =
    [("time per operation", Source::Harness)];

/// Creates a worker's runtime, on the worker's own thread.
pub(super) type Worker = Box<dyn FnOnce() -> Result<Serve, String> + Send>;

/// Serves a core's connections until the measurement ends.
pub(super) type Serve = Box<dyn FnOnce() -> Result<Served, String>>;

/// The results of one core, and the sum of the values that it owns at the
/// end.
pub(super) struct Served {
    pub(super) done: Done,
    pub(super) sum: u64,
}

/// Runs each worker on its own core, and counts operations for the duration
/// `window`.
///
/// # Errors
///
/// If a worker could not start or got no answer, or if the final values don't
/// match the additions.
pub(super) fn take(
    workers: Vec<Worker>,
    phase: &Phase,
    window: Duration,
) -> Result<Measurement, String> {
    let may_begin = Mutex::new(false);
    let (tell, told) = mpsc::channel();
    let (served, elapsed) = thread::scope(|scope| {
        let mut gate = may_begin.lock().expect("nobody panics with it");
        let threads = workers.into_iter().enumerate().map(|(core, worker)| {
            let (tell, may_begin) = (tell.clone(), &may_begin);
            scope.spawn(move || {
                let serve = pin_this_thread(core).and_then(|()| worker())?;
                // If this worker fails to start, the sender is dropped
                // without sending.
                tell.send(()).expect("it is awaited");
                drop(tell);
                let may_begin = *may_begin.lock().expect("nobody panics");
                may_begin.then(serve).transpose()
            })
        });
        let threads: Vec<_> = threads.collect();
        drop(tell);
        *gate = told.iter().count() == threads.len();
        let all_are_there = *gate;
        drop(gate);
        let mut elapsed = Duration::ZERO;
        if all_are_there {
            thread::sleep(LEAD_IN);
            let began = Instant::now();
            phase.count();
            thread::sleep(window);
            phase.end();
            elapsed = began.elapsed();
        }
        let outcomes = threads.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err("a worker panicked".into()))
        });
        (outcomes.collect::<Result<Vec<_>, _>>(), elapsed)
    });
    // Workers serve nothing only if another worker failed to start. In that
    // case, `served?` returns the error.
    let served: Vec<Served> = served?.into_iter().flatten().collect();
    account(&served, elapsed)
}

fn account(
    served: &[Served],
    elapsed: Duration,
) -> Result<Measurement, String> {
    let mut done = Done::nothing();
    for of in served {
        done.answered += of.done.answered;
        done.added += of.done.added;
        done.latencies += &of.done.latencies;
    }
    let sum: u64 = served.iter().map(|of| of.sum).sum();
    if sum != done.added {
        let added = done.added;
        return Err(format!("{added} were added, and the values are {sum}"));
    }
    let cores_time = elapsed.as_nanos() as f64 * CORES as f64;
    Ok(Measurement {
        answered: done.answered,
        elapsed,
        also: vec![cores_time / done.answered.max(1) as f64],
        latencies: Some(done.latencies),
        ..Measurement::default()
    })
}
