//! Runs one measurement: starts a runtime, sends requests to it, and shuts it
//! down. Also measures how much CPU time the load generator uses.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::Measurement;
use measurement::Source;
use nix::time::{clock_gettime, ClockId};
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};

use super::account::{account, mean, nanoseconds};
use super::connection::{self, Request, Served};
use super::requests::{Arrivals, Requests};
use super::runtimes::{Serve, Task};
use super::setting::WAIT;

const CONNECTIONS: usize = 100;

/// How long requests are sent before they are measured, so that the queues
/// reach their usual length.
const LEAD_IN: Duration = Duration::from_millis(100);

pub(super) const CPU_TIME: &str = "CPU time per request of the generator";

/// The index of the generator's CPU time in the measured results.
pub(super) const CPU_TIME_PLACE: usize = 3;

/// The results reported in addition to throughput and latencies.
pub(super) const ALSO: [(&str, Source); 5] = [
    // The waiting time lasts from when a request is due until its task begins
    // to serve it.
    (WAIT, Source::Harness),
    // The lateness is the part of the waiting time that passes before the
    // generator starts on the request.
    ("lateness of the generator", Source::Harness),
    // The CPU share is the generator's CPU time divided by the length of the
    // window.
    ("CPU share of the generator", Source::Getrusage),
    (CPU_TIME, Source::Getrusage),
    ("utilisation", Source::Harness),
];

/// Serves connections on a runtime, and sends requests for the duration
/// `window`. The requests take the fraction `share` of the workers' time.
///
/// # Errors
///
/// If the runtime cannot be started, or requests were lost.
pub(super) fn take(
    serve: Serve,
    share: f64,
    window: Duration,
) -> Result<Measurement, String> {
    let (tell, told) = mpsc::channel();
    let (mut senders, mut tasks) = (Vec::new(), Vec::new());
    for _ in 0..CONNECTIONS {
        let (sender, receiver) = unbounded_channel();
        senders.push(sender);
        let task: Task = Box::pin(connection::serve(receiver, tell.clone()));
        tasks.push(task);
    }
    drop(tell);
    let mut senders = Some(senders);
    let mut sent = Err("nothing was sent".to_owned());
    let mut served: Vec<Served> = Vec::new();
    let mut until = || {
        let senders = senders.take().expect("this is called once");
        // The generator has its own thread, because a thread inherits the
        // timer slack of the thread that starts it.
        let generator = move || generate(&senders, share, window);
        sent = thread::scope(|scope| scope.spawn(generator).join())
            .expect("the generator does not panic");
        served = told.iter().flatten().collect();
    };
    serve(tasks, &mut until).map_err(|error| error.to_string())?;
    let Sent { requests, due, begin, late, used } = sent?;
    if served.len() != requests {
        let served = served.len();
        return Err(format!("{served} of {requests} requests were served"));
    }
    let late = mean(late.into_iter().map(nanoseconds));
    let found = account(&served, &(begin..begin + window), late);
    let [wait, _, utilisation, _, late] = found.also[..] else {
        return Err("the account has other figures".to_owned());
    };
    let used = nanoseconds(used);
    let share = used / nanoseconds(window);
    let also = vec![wait, late, share, used / due as f64, utilisation];
    Ok(Measurement { also, ..found })
}

/// A summary of the requests that the load generator has sent.
struct Sent {
    /// The number of requests sent, including those before the window.
    requests: usize,
    /// The number of requests that were due in the window.
    due: usize,
    begin: Instant,
    /// The lateness of the generator for each request that was due in the
    /// window.
    late: Vec<Duration>,
    /// The generator's CPU time in the window.
    used: Duration,
}

/// Sends each request when it is due, on a randomly chosen connection, even
/// if that connection is busy.
fn generate(
    connections: &[UnboundedSender<Request>],
    share: f64,
    window: Duration,
) -> Result<Sent, String> {
    // By default, the kernel wakes a sleeping thread up to 50 us late. If the
    // kernel refuses to change that, the lateness of the generator shows it.
    let _ = nix::sys::prctl::set_timerslack(1);
    // The first call calibrates the work. Calling `rounds_in` now completes
    // the calibration before the first request is due.
    rounds_in(Duration::ZERO);
    let start = Instant::now();
    let begin = start + LEAD_IN;
    let end = begin + window;
    let (mut requests, mut late, mut before) = (0, Vec::new(), None);
    let due = Arrivals::of(share).map(|at| start + at);
    for due in due.take_while(|due| *due < end) {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if due >= begin {
            if before.is_none() {
                before = Some(own_cpu_time()?);
            }
            late.push(due.elapsed());
        }
        let rounds = rounds_in(Requests::Unequal.draw());
        let connection = fastrand::usize(..connections.len());
        let request = Request { due, rounds };
        connections[connection].send(request).expect("the task receives");
        requests += 1;
    }
    let now = own_cpu_time()?;
    let used = now - before.unwrap_or(now);
    Ok(Sent { requests, due: late.len(), begin, late, used })
}

fn own_cpu_time() -> Result<Duration, String> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    let time = time.map_err(|error| format!("the CPU time: {error}"))?;
    Ok(time.into())
}
