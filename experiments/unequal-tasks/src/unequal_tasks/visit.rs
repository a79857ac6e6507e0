//! One visit: starts a runtime, sends it requests, and ends it.

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

/// The number of connections.
const CONNECTIONS: usize = 100;

/// The lead-in before the window, in which queues reach their usual length.
const LEAD_IN: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) requests: Requests,
    /// The share of the workers' time that the requests take.
    pub(super) share: f64,
}

/// Serves connections on a runtime, with requests for `window`. With
/// [`Placement::Neighbours`], each worker is bound to a core.
///
/// # Errors
///
/// If the runtime cannot be started or its workers bound, or requests were
/// lost.
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
        // Once a sender is dropped, its connection ends as soon as all
        // requests are served.
        let senders = senders.take().expect("this is called once");
        let generator = move || {
            if is_bound {
                binding::of_generator()?;
            }
            Ok(generate(senders, load, window))
        };
        // The generator has a separate thread. Threads that it starts inherit
        // its timer slack and its core, and the harness's thread starts the
        // workers of the next visit.
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

/// The requests that the generator has sent.
struct Sent {
    /// The number of requests, including those of the lead-in.
    requests: usize,
    /// The window, which begins after the lead-in.
    window: Range<Instant>,
    /// How late the generator took up each request that was due in the
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
    // The first call calibrates, which must be over before the first request
    // is due.
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

/// Lets the kernel wake the calling thread on time. By default, it wakes a
/// sleeping thread up to 50 us late, to wake several together, which is as
/// long as the measured times.
#[cfg(target_os = "linux")]
fn be_woken_in_time() {
    // If the kernel refuses, the generator's lateness shows it.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
fn be_woken_in_time() {}
