//! The load generator: a separate process, in which each thread is a client.
//! In a closed loop, a client sends its next request when it has received an
//! answer. In an open loop, a client sends requests at times fixed in
//! advance, and latency is measured from these times. Each answer is checked.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path as File;
use std::process::{Command, ExitCode};
use std::sync::{Barrier, OnceLock};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use harness::helper::{report, requests, Helper};
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::path::Path;
use crate::usage::Usage;

mod client;
mod request;

pub use client::{Answer, Client};
pub use request::{answer_begins, Request};

/// The argument that makes the chapter's program a load generator.
pub(crate) const CALLED: &str = "load";

/// How long the load generator may take to connect, and how long it may go on
/// after its measuring window.
const PATIENCE: Duration = Duration::from_secs(30);

/// Determines when the connections of a load generator send their requests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Pace {
    /// Each connection sends a request as soon as it has received the
    /// previous answer.
    Closed,
    /// All connections together send this many requests per second, whether
    /// or not earlier ones have been answered.
    Open(f64),
}

/// The settings of a load generator.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Load {
    /// The address of the server.
    pub address: SocketAddr,
    /// True if connections are encrypted with TLS.
    pub tls: bool,
    /// The path of the requests, which decides what the server has to do.
    pub path: Path,
    /// The number of connections that send requests to `path`.
    pub connections: usize,
    /// Determines when the connections send their requests.
    pub pace: Pace,
    /// The number of additional connections that send slow queries, each in a
    /// closed loop.
    pub slow: usize,
    /// How long to send requests before the measuring window begins.
    pub lead_in: Duration,
    /// The length of the measuring window.
    pub window: Duration,
}

/// The results of a load generator.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of correct answers in the measuring window.
    pub answered: u64,
    /// The number of answers by HTTP status, including those before and after
    /// the window.
    pub statuses: BTreeMap<u16, u64>,
    /// The number of answers with HTTP status 201, which report that an order
    /// was stored, including slow orders.
    pub created: u64,
    /// The number of wrong answers and broken connections.
    pub errors: u64,
    /// The first wrong answer or broken connection, described in words.
    pub why: Option<String>,
    /// The latencies of correct answers in the window, measured from when
    /// each request was due. Each pair holds a latency in nanoseconds and the
    /// number of answers with that latency.
    pub latencies: Vec<(u64, u64)>,
    /// How late the load generator sent requests, measured from when they
    /// were due and their connection was free. Each pair holds a delay in
    /// nanoseconds and the number of requests with that delay.
    pub lateness: Vec<(u64, u64)>,
    /// The CPU time that the load generator used per second, in the window.
    pub cpu: f64,
}

#[derive(Debug, Serialize, Deserialize)]
enum Said {
    Begins,
    Ended(Box<Outcome>),
}

/// The `main` of a load generator's process.
pub(crate) fn main() -> ExitCode {
    harness::raise_file_limit();
    for load in requests::<Load>() {
        let outcome = run(&load, || drop(report(&Said::Begins)));
        if report(&Said::Ended(Box::new(outcome))).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// A load generator that is running in a separate process.
pub struct Running(Helper<Load, Said>);

impl Running {
    /// Starts a load generator, and returns when its measuring window begins.
    ///
    /// # Errors
    ///
    /// If the load cannot be started, or its window does not begin.
    pub fn begin(program: &File, load: &Load) -> Result<Running, String> {
        let mut command = Command::new(program);
        command.arg(CALLED);
        let mut helper = Helper::spawn(command)?;
        match helper.ask(load, PATIENCE + load.lead_in)? {
            Said::Begins => Ok(Running(helper)),
            Said::Ended(_) => Err("the load ended first".to_owned()),
        }
    }

    /// Waits until the load generator has finished, and returns its results.
    ///
    /// # Errors
    ///
    /// If the load does not end, or dies.
    pub fn end(mut self, window: Duration) -> Result<Outcome, String> {
        match self.0.hear(PATIENCE + window)? {
            Said::Ended(outcome) => Ok(*outcome),
            Said::Begins => Err("the load begins again".to_owned()),
        }
    }
}

#[derive(Default)]
struct Tally {
    outcome: Outcome,
    latencies: Option<Histogram<u64>>,
    lateness: Option<Histogram<u64>>,
}

fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are allowed")
}

/// The start of sending, and the start and the end of the measuring window.
#[derive(Clone, Copy)]
struct Times {
    start: Instant,
    from: Instant,
    until: Instant,
}

/// Sends requests from threads of this process. Calls `begins` when the
/// measuring window begins.
pub fn run(load: &Load, begins: impl FnOnce()) -> Outcome {
    let clients = load.connections + load.slow;
    let connected = Barrier::new(clients + 1);
    let began = OnceLock::new();
    // The upper half of a token is random, so that different load generators
    // use different tokens.
    let first_token = u64::from(fastrand::u32(..)) << 32;
    let mut outcome = thread::scope(|scope| {
        let ask = |number: usize| {
            let (connected, began) = (&connected, &began);
            move || {
                let client = Client::connect(load.address, load.tls);
                connected.wait();
                let start = *began.get_or_init(Instant::now);
                let from = start + load.lead_in;
                let times = Times { start, from, until: from + load.window };
                let mut tally = Tally::default();
                let token = first_token | (number as u64) << 20;
                let asked = client.and_then(|mut client| match number {
                    _ if number >= load.connections => {
                        let request = Request::new(Path::SlowOrders, token);
                        closed(&mut client, request, times, &mut tally)
                    }
                    _ => {
                        let request = Request::new(load.path, token);
                        match load.pace {
                            Pace::Closed => {
                                closed(&mut client, request, times, &mut tally)
                            }
                            Pace::Open(rate) => {
                                let rate = rate / load.connections as f64;
                                let tally = &mut tally;
                                open(&mut client, request, rate, times, tally)
                            }
                        }
                    }
                });
                if let Err(reason) = asked {
                    tally.wrong(reason.to_string());
                }
                if number >= load.connections {
                    // Connections that send slow queries aren't measured;
                    // only the others are.
                    tally.outcome.answered = 0;
                    tally.latencies = None;
                }
                tally
            }
        };
        let clients: Vec<_> =
            (0..clients).map(|number| scope.spawn(ask(number))).collect();
        connected.wait();
        let start = *began.get_or_init(Instant::now);
        sleep(load.lead_in.saturating_sub(start.elapsed()));
        begins();
        let before = Usage::own();
        let end = load.lead_in + load.window;
        sleep(end.saturating_sub(start.elapsed()));
        let cpu = Usage::own().since(&before).iter().sum();
        let mut all = Tally::default();
        for client in clients {
            all.add(client.join().expect("no client panics"));
        }
        all.outcome.latencies = buckets(all.latencies.as_ref());
        all.outcome.lateness = buckets(all.lateness.as_ref());
        Outcome { cpu, ..all.outcome }
    });
    outcome.created = match load.path {
        Path::Orders | Path::SlowOrders => outcome.created,
        Path::Fixed | Path::Json => 0,
    };
    outcome
}

/// Sends a request whenever the previous one has been answered, until the
/// window ends.
fn closed(
    client: &mut Client,
    mut request: Request,
    times: Times,
    tally: &mut Tally,
) -> std::io::Result<()> {
    loop {
        let made = Instant::now();
        if made >= times.until {
            return Ok(());
        }
        let answer = client.ask(request.another())?;
        let at = Instant::now();
        let is_counted = (times.from..times.until).contains(&at);
        tally.answer(&request, answer, is_counted, at - made);
    }
}

/// Sends requests at the times of a Poisson process, until those that are due
/// in the window have been answered.
fn open(
    client: &mut Client,
    mut request: Request,
    rate: f64,
    times: Times,
    tally: &mut Tally,
) -> std::io::Result<()> {
    let gap = || -(1.0 - fastrand::f64()).ln() / rate;
    let mut due = times.start + Duration::from_secs_f64(gap());
    let mut free = times.start;
    while due < times.until {
        sleep(due.saturating_duration_since(Instant::now()));
        let made = Instant::now();
        let is_counted = due >= times.from;
        if is_counted {
            let late = made.saturating_duration_since(due.max(free));
            note(&mut tally.lateness, late);
        }
        let answer = client.ask(request.another())?;
        free = Instant::now();
        tally.answer(&request, answer, is_counted, free - due);
        due += Duration::from_secs_f64(gap());
    }
    Ok(())
}

fn note(histogram_of: &mut Option<Histogram<u64>>, time: Duration) {
    let of = histogram_of.get_or_insert_with(histogram);
    let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    of.record(ns).expect("it grows");
}

fn buckets(histogram: Option<&Histogram<u64>>) -> Vec<(u64, u64)> {
    let recorded = histogram.into_iter().flat_map(Histogram::iter_recorded);
    recorded.map(|it| (it.value_iterated_to(), it.count_at_value())).collect()
}

impl Tally {
    fn wrong(&mut self, reason: String) {
        self.outcome.errors += 1;
        self.outcome.why.get_or_insert(reason);
    }

    fn answer(
        &mut self,
        request: &Request,
        answer: Answer<'_>,
        is_counted: bool,
        took: Duration,
    ) {
        *self.outcome.statuses.entry(answer.status).or_default() += 1;
        if answer.status != 201 {
            // Other answers are only counted by their status. The caller
            // decides whether the status is an error.
            return;
        }
        self.outcome.created += 1;
        if !answer.body.starts_with(&request.expected()) {
            let body = String::from_utf8_lossy(answer.body);
            let start: String = body.chars().take(80).collect();
            return self.wrong(format!("a wrong receipt: {start}"));
        }
        if is_counted {
            self.outcome.answered += 1;
            note(&mut self.latencies, took);
        }
    }

    fn add(&mut self, other: Tally) {
        let Outcome { answered, statuses, created, errors, why, .. } =
            other.outcome;
        self.outcome.answered += answered;
        self.outcome.created += created;
        self.outcome.errors += errors;
        self.outcome.why = self.outcome.why.take().or(why);
        for (status, count) in statuses {
            *self.outcome.statuses.entry(status).or_default() += count;
        }
        let pairs = [
            (&mut self.latencies, other.latencies),
            (&mut self.lateness, other.lateness),
        ];
        for (all, more) in pairs {
            if let Some(more) = more {
                let all = all.get_or_insert_with(histogram);
                all.add(more).expect("it grows");
            }
        }
    }
}
