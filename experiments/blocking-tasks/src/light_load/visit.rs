//! One measurement: a thread sends requests to a server at random times, or
//! sends none. All other CPU time of the process belongs to the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;
use measurement::Source;

use super::serve::Serve;
use super::used::used_by_others;
use crate::connection::{connect, MESSAGE};
use crate::timer::{be_woken_in_time, sleep_until};

/// How long the load runs before the measurement, until the runtime settles.
const LEAD_IN: Duration = Duration::from_millis(50);

const IDLE_FOR: Duration = Duration::from_millis(250);

pub(super) const CPU_TIME: &str = "CPU time per request";

/// Figures reported in addition to latency. They exclude the thread that
/// sends requests.
pub(super) const ALSO: [(&str, Source); 2] = [
    (CPU_TIME, Source::Getrusage),
    ("context switches per request", Source::Getrusage),
];

/// The figures of a measurement without requests. They exclude the thread
/// that would send requests.
pub(super) const IDLE: [&str; 2] =
    ["CPU share of the server", "context switches per second"];

/// Measures a server that gets `rate` requests per second on one connection,
/// for `length`.
///
/// # Errors
///
/// If the contender cannot serve here, or its answers were wrong.
pub(super) fn take(
    serve: Serve,
    rate: f64,
    length: Duration,
) -> Result<Measurement, String> {
    served(serve, |client| ask(client, rate, length))
}

/// # Errors
///
/// If the contender cannot serve here.
pub(super) fn take_idle(serve: Serve) -> Result<Vec<f64>, String> {
    served(serve, |client| {
        // An answer shows that the server's task has started and is waiting
        // for the next message.
        answered(client, 0)?;
        thread::sleep(LEAD_IN);
        let (begin, before) = (Instant::now(), used_by_others()?);
        thread::sleep(IDLE_FOR);
        let (elapsed, after) = (begin.elapsed(), used_by_others()?);
        let used = after.since(&before);
        Ok(vec![
            used.cpu.div_duration_f64(elapsed),
            used.switches as f64 / elapsed.as_secs_f64(),
        ])
    })
}

/// Runs a server on one end of a connection, and calls `load` with the other
/// end. Returns the result of `load`.
fn served<T: Send>(
    serve: Serve,
    load: impl FnOnce(&TcpStream) -> Result<T, String> + Send,
) -> Result<T, String> {
    let (client, connection) = connect()?;
    thread::scope(|scope| {
        // Dropping `client`, even while a panic unwinds, ends the stream that
        // the echo task reads.
        let loaded = scope.spawn(move || load(&client));
        serve(connection)?;
        loaded.join().expect("the load does not panic")
    })
}

/// Sends requests at exponentially distributed intervals. The first ones are
/// not measured.
fn ask(
    connection: &TcpStream,
    rate: f64,
    length: Duration,
) -> Result<Measurement, String> {
    be_woken_in_time();
    let begin = Instant::now() + LEAD_IN;
    let end = begin + length;
    let mut due = Instant::now();
    let mut used_before = None;
    let mut latencies = Histogram::new(3).expect("three digits are possible");
    loop {
        due += Duration::from_secs_f64(-(1.0 - fastrand::f64()).ln() / rate);
        if due >= begin && used_before.is_none() {
            sleep_until(begin);
            used_before = Some(used_by_others()?);
        }
        if due >= end {
            break;
        }
        sleep_until(due);
        answered(connection, latencies.len())?;
        if used_before.is_some() {
            latencies += due.elapsed().as_nanos() as u64;
        }
    }
    sleep_until(end);
    let elapsed = begin.elapsed();
    let before = used_before.expect("the window began before its end");
    let used = used_by_others()?.since(&before);
    let requests = latencies.len();
    let per_request = |used: f64| used / requests.max(1) as f64;
    let (cpu, switches) = (used.cpu.as_nanos() as f64, used.switches as f64);
    Ok(Measurement {
        answered: requests,
        elapsed,
        offered: Some(rate),
        latencies: Some(latencies),
        also: vec![per_request(cpu), per_request(switches)],
        ..Measurement::default()
    })
}

/// Sends a request that consists of `number`, and checks that the answer
/// equals it.
fn answered(mut connection: &TcpStream, number: u64) -> Result<(), String> {
    let asked = number.to_le_bytes();
    let mut answer = [0; MESSAGE];
    connection.write_all(&asked).map_err(|error| format!("asking: {error}"))?;
    let read = connection.read_exact(&mut answer);
    read.map_err(|error| format!("waiting for an answer: {error}"))?;
    if answer == asked {
        return Ok(());
    }
    Err("an answer is not what was sent".to_owned())
}
