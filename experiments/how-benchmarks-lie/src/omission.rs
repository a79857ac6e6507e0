//! Experiment `omission`: the latency of a server that stalls periodically,
//! measured by a client that waits for each answer and by a client that
//! doesn't.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use harness::{Cell, Experiment};
use hdrhistogram::Histogram;
use measurement::Source;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::listings::omission::{closed_loop, open_loop, server};

/// How long the clients send requests: two periods, each with a stall at its
/// end.
const DURATION: Duration = Duration::from_millis(500);
const PERIOD: Duration = Duration::from_millis(250);
const STALL: Duration = Duration::from_millis(50);

const GAP: Duration = Duration::from_millis(1);

/// The time limit for a client. A client that exceeds it is stuck.
const LIMIT: Duration = Duration::from_secs(10);

/// The reported quantities: percentiles of the latency, and percentiles of
/// how late the requests were sent.
const QUANTITIES: [&str; 7] = [
    "latency p50",
    "latency p99",
    "latency p99.9",
    "latency max",
    "lateness p50",
    "lateness p99",
    "lateness max",
];

pub(crate) fn experiment() -> Experiment {
    Experiment::new("omission", "latency p99", "open loop")
        .cell(closed_loop("50 ms", STALL))
        .cell(closed_loop("none", Duration::ZERO).full_only())
        .cell(open_loop("50 ms", STALL))
        .cell(open_loop("none", Duration::ZERO))
}

/// Measures a closed loop. It sends each request as soon as it can, so it
/// never records a request as late.
fn closed_loop(name: &str, stall: Duration) -> Cell {
    let client = |stream| closed_loop::latencies(stream, DURATION);
    let take = move || Ok(latency(&with_server(stall, client)?).to_vec());
    Cell::readings("closed loop", Source::Histogram, &QUANTITIES[..4], take)
        .parameter("stall", name)
}

fn open_loop(name: &str, stall: Duration) -> Cell {
    let requests = DURATION.div_duration_f64(GAP) as u32;
    let client = move |stream| open_loop::latencies(stream, requests, GAP);
    let take = move || {
        let (latencies, lateness) = with_server(stall, client)?;
        let [p50, p99, _, max] = latency(&lateness);
        Ok([&latency(&latencies)[..], &[p50, p99, max]].concat())
    };
    Cell::readings("open loop", Source::Histogram, &QUANTITIES, take)
        .parameter("stall", name)
}

/// Returns the percentiles 50, 99 and 99.9, and the maximum.
fn latency(histogram: &Histogram<u64>) -> [f64; 4] {
    let quantile = |quantile| histogram.value_at_quantile(quantile) as f64;
    [quantile(0.5), quantile(0.99), quantile(0.999), histogram.max() as f64]
}

/// Runs a server and a client that is connected to it, each as a task on its
/// own runtime with one worker.
fn with_server<Answer, Outcome>(
    stall: Duration,
    client: impl FnOnce(TcpStream) -> Answer + Send + 'static,
) -> Result<Outcome, String>
where
    Answer: Future<Output = io::Result<Outcome>> + Send,
    Outcome: Send + 'static,
{
    let both = || -> Result<Outcome, Box<dyn Error>> {
        let (servers, clients) = (one_worker()?, one_worker()?);
        let bind = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let listener = servers.block_on(bind)?;
        let address = listener.local_addr()?;
        let server = servers.spawn(server::serve(listener, PERIOD, stall));
        let client = async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            client(stream).await
        };
        let client = clients.spawn(async { timeout(LIMIT, client).await });
        let outcome = clients.block_on(client)???;
        servers.block_on(server)??;
        Ok(outcome)
    };
    both().map_err(|error| error.to_string())
}

fn one_worker() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).enable_all().build()
}
