//! One visit: a runtime is started, asked, and ended.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::Measurement;
use hdrhistogram::Histogram;
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};

use super::connection::{self, Request, Served};
use super::requests::{Arrivals, Requests};
use super::runtimes::{Serve, Task};
use super::workers::WORKERS;

/// How many connections there are.
const CONNECTIONS: usize = 100;

/// Before the window: until queues are as long as they will be.
const LEAD_IN: Duration = Duration::from_millis(100);

/// Asks a runtime for so long by requests that take this share of its workers' time.
///
/// # Errors
///
/// Why the runtime cannot be started, or how many requests were lost.
pub(super) fn take(
    serve: Serve,
    requests: Requests,
    share: f64,
    window: Duration,
) -> Result<Measurement, String> {
    let (tell, told) = mpsc::channel();
    let mut senders = Vec::new();
    let mut tasks: Vec<Task> = Vec::new();
    for _ in 0..CONNECTIONS {
        let (sender, receiver) = unbounded_channel();
        senders.push(sender);
        tasks.push(Box::pin(connection::serve(receiver, tell.clone())));
    }
    drop(tell);
    let mut senders = Some(senders);
    let mut lateness = Vec::new();
    let mut served = Vec::new();
    let mut until = || {
        // When it is dropped, each connection ends as soon as it has served all.
        let senders = senders.take().expect("this is called once");
        lateness = generate(senders, requests, share, window);
        served = told.iter().flatten().collect();
    };
    serve(tasks, &mut until).map_err(|error| error.to_string())?;
    if served.len() != lateness.len() {
        let (served, sent) = (served.len(), lateness.len());
        return Err(format!("{served} of {sent} requests were served"));
    }
    let late = mean(lateness.iter());
    Ok(measurement(&served, window, Some(late)))
}

/// Sends requests as they are due, each to any of the connections, whoever is busy.
/// Returns how late it was itself with those that count.
fn generate(
    connections: Vec<UnboundedSender<Request>>,
    requests: Requests,
    share: f64,
    window: Duration,
) -> Vec<Duration> {
    be_woken_in_time();
    // Found out before the first one is due.
    rounds_in(Duration::ZERO);
    let start = Instant::now();
    let mut lateness = Vec::new();
    let is_due = |at: &Duration| *at < LEAD_IN + window;
    for at in Arrivals::of(share).take_while(is_due) {
        let due = start + at;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let counts = at >= LEAD_IN;
        if counts {
            lateness.push(due.elapsed());
        }
        let rounds = rounds_in(requests.draw());
        let connection = fastrand::usize(..connections.len());
        let request = Request { due, rounds, counts };
        connections[connection].send(request).expect("the task receives");
    }
    lateness
}

/// By default the kernel wakes a sleeping thread up to 50 us late, to wake several
/// together. That is as long as what is measured.
#[cfg(target_os = "linux")]
fn be_woken_in_time() {
    // Where it is refused, the lateness of the generator shows it.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
fn be_woken_in_time() {}

/// What a window found; `late` is how late the generator was, if there was one.
pub(super) fn measurement(
    served: &[Served],
    elapsed: Duration,
    late: Option<f64>,
) -> Measurement {
    let mut latencies = Histogram::new(3).expect("three digits are allowed");
    for request in served {
        latencies += request.took.as_nanos() as u64;
    }
    let waited = mean(served.iter().map(|request| &request.waited));
    let worked = mean(served.iter().map(|request| &request.worked));
    let all = worked * served.len() as f64;
    let share = all / (WORKERS as f64 * elapsed.as_nanos() as f64);
    Measurement {
        answered: served.len() as u64,
        elapsed,
        latencies: Some(latencies),
        also: [waited, worked, share].into_iter().chain(late).collect(),
        ..Measurement::default()
    }
}

/// In nanoseconds.
fn mean<'a>(durations: impl ExactSizeIterator<Item = &'a Duration>) -> f64 {
    let count = durations.len() as f64;
    durations.sum::<Duration>().as_nanos() as f64 / count
}
