//! One of ten futures computes for ten milliseconds, while the timers of the
//! others become due. Measures how late the others are.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use harness::work::{rounds_in, work};
use harness::Cell;
use measurement::Source;
use runtimes::tokio::multi_thread;
use tokio::time::sleep_until;

use super::ways::Way;

/// How long the computing future takes. The timers of the others are due a
/// millisecond apart.
pub(super) const LONG: Duration = Duration::from_millis(10);
const OTHERS: u64 = 9;

/// How many times the ten futures are run in a measurement.
const TIMES: usize = 20;

/// The delay of each waiting future.
type Late = Arc<Mutex<Vec<Duration>>>;

const QUANTITIES: [&str; 3] = ["lateness p50", "lateness max", "total time"];

/// Returns the benchmark in which `way` awaits all futures.
pub(super) fn within(way: impl Way) -> Cell {
    cell(way, false)
}

/// Returns the benchmark in which the computing future runs in a separate
/// task, and `way` awaits its handle instead.
pub(super) fn apart(way: impl Way) -> Cell {
    cell(way, true)
}

fn cell<W: Way>(way: W, is_apart: bool) -> Cell {
    taken(W::NAME, move |late| {
        let once = async move { once(way, is_apart, &late).await };
        let runtime = multi_thread();
        let done = runtime.block_on(runtime.spawn(once));
        done.map_err(|error| error.to_string())
    })
}

/// Returns the benchmark with one thread per future.
pub(super) fn threads() -> Cell {
    let once = |late: Late| {
        let start = Instant::now();
        let mut threads = vec![thread::spawn(|| work(rounds_in(LONG)))];
        threads.extend((1..=OTHERS).map(|id| {
            let late = Arc::clone(&late);
            let due = start + Duration::from_millis(id);
            thread::spawn(move || {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                note(&late, due);
            })
        }));
        for thread in threads {
            thread.join().map_err(|_| "a thread has panicked".to_owned())?;
        }
        Ok((0..=OTHERS).sum())
    };
    taken(runtimes::std_thread::NAME, once)
}

fn taken(
    contender: &str,
    once: impl Fn(Late) -> Result<u64, String> + 'static,
) -> Cell {
    let take = move || {
        let all = Late::default();
        let start = Instant::now();
        for _ in 0..TIMES {
            let sum = once(Arc::clone(&all))?;
            if sum != (0..=OTHERS).sum::<u64>() {
                return Err(format!("they return {sum}"));
            }
        }
        let total = start.elapsed().as_nanos() as f64 / TIMES as f64;
        let mut late = all.lock().expect("nobody has panicked").clone();
        late.sort();
        if late.len() != TIMES * OTHERS as usize {
            return Err(format!("{} timers were noted", late.len()));
        }
        let nanos = |place: usize| late[place].as_nanos() as f64;
        Ok(vec![nanos(late.len() / 2), nanos(late.len() - 1), total])
    };
    Cell::readings(contender, Source::Harness, &QUANTITIES, take)
}

/// Runs all futures, and returns the sum of their ids. The computing future
/// has id 0.
async fn once(way: impl Way, is_apart: bool, late: &Late) -> u64 {
    let start = Instant::now();
    let late = Arc::clone(late);
    let future = move |id: u64| -> Pin<Box<dyn Future<Output = u64> + Send>> {
        let late = Arc::clone(&late);
        let due = start + Duration::from_millis(id);
        match (id, is_apart) {
            (0, false) => Box::pin(compute()),
            (0, true) => {
                let task = tokio::spawn(compute());
                Box::pin(async { task.await.expect("it does not panic") })
            }
            _ => Box::pin(async move {
                sleep_until(due.into()).await;
                note(&late, due);
                id
            }),
        }
    };
    way.sum((0..=OTHERS).map(future)).await
}

async fn compute() -> u64 {
    work(rounds_in(LONG));
    0
}

fn note(late: &Mutex<Vec<Duration>>, due: Instant) {
    let by = due.elapsed();
    late.lock().expect("nobody has panicked").push(by);
}
