//! Runs one measurement: starts a runtime, sends requests to it, and shuts it
//! down.

use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::{Measurement, Placement};
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};

use super::account::{account, mean, nanoseconds};
use super::binding;
use super::connection::{self, Request, Served};
use super::requests::{Arrivals, Requests};
use super::runtimes::{Serve, Task};

const CONNECTIONS: usize = 100;

/// How long requests are sent before they are measured, so that the queues
/// reach their usual length.
const LEAD_IN: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) requests: Requests,
    /// The share of the workers' time that the requests take.
    pub(super) share: f64,
}

/// Serves connections on a runtime, and sends requests for the duration
/// `window`. With [`Placement::Neighbours`], each worker is pinned to a core.
///
/// # Errors
///
/// If the runtime cannot be started or its workers pinned, or if requests
/// were lost.
pub(super) fn take(
    serve: Serve,
    load: Load,
    placement: Placement,
    window: Duration,
) -> Result<Measurement, String> {
    let (tell, told) = mpsc::channel();
    let is_bound = placement == Placement::Neighbours;
    let (tasks, bound) = is_bound.then(binding::of_workers).unzip();
    let mut tasks: Vec<Task> = tasks.unwrap_or_default();
    let mut senders = Vec::new();
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
        // A connection's task ends when its sender has been dropped and all
        // its requests are served.
        let senders = senders.take().expect("this is called once");
        let generator = move || {
            if is_bound {
                binding::of_generator()?;
            }
            Ok(generate(senders, load, window))
        };
        // The generator needs its own thread. A thread inherits timer slack
        // and pinning from the thread that starts it, and the harness's
        // thread starts the workers of the next measurement.
        sent = thread::scope(|scope| scope.spawn(generator).join())
            .expect("the generator does not panic");
        served = told.iter().flatten().collect();
    };
    serve(tasks, &mut until).map_err(|error| error.to_string())?;
    bound.iter().flatten().collect::<Result<(), String>>()?;
    let Sent { requests, window, late } = sent?;
    if served.len() != requests {
        let served = served.len();
        return Err(format!("{served} of {requests} requests were served"));
    }
    Ok(account(&served, &window, mean(late.into_iter().map(nanoseconds))))
}

/// A summary of the requests that the load generator has sent.
struct Sent {
    /// The number of requests sent, including those before the window.
    requests: usize,
    window: Range<Instant>,
    /// The lateness of the generator for each request that was due in the
    /// window.
    late: Vec<Duration>,
}

/// Sends each request when it is due, on a randomly chosen connection, even
/// if that connection is busy.
fn generate(
    connections: Vec<UnboundedSender<Request>>,
    load: Load,
    window: Duration,
) -> Sent {
    be_woken_in_time();
    // The first call calibrates the work. Calling `rounds_in` now completes
    // the calibration before the first request is due.
    rounds_in(Duration::ZERO);
    let start = Instant::now();
    let begin = start + LEAD_IN;
    let window = begin..begin + window;
    let (mut requests, mut late) = (0, Vec::new());
    let due = Arrivals::of(load.share).map(|at| start + at);
    for due in due.take_while(|due| *due < window.end) {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if window.contains(&due) {
            late.push(due.elapsed());
        }
        let rounds = rounds_in(load.requests.draw());
        let connection = fastrand::usize(..connections.len());
        let request = Request { due, rounds };
        connections[connection].send(request).expect("the task receives");
        requests += 1;
    }
    Sent { requests, window, late }
}

/// Makes the kernel wake the calling thread on time. By default, the kernel
/// wakes a sleeping thread up to 50 us late, in order to wake several threads
/// together. Such a delay is as long as the times to be measured.
#[cfg(target_os = "linux")]
fn be_woken_in_time() {
    // If the kernel refuses the setting, the generator's lateness shows it.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
fn be_woken_in_time() {}
