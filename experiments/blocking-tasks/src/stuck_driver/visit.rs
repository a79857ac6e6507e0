//! One measurement: one task keeps its thread busy, then the other task
//! receives a request, and so on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;

use super::serve::Need;
use crate::connection::connect;

/// The pause between requests, in which all threads of the runtime go to
/// sleep again.
const PAUSE: Duration = Duration::from_millis(5);

/// How long to wait until the first task is certainly in its poll. The other
/// task receives its request only then.
const HEAD_START: Duration = Duration::from_millis(1);

/// Measures a runtime for `length`. `serve` receives two connections: that of
/// the task that keeps its thread busy, and that of the other task.
///
/// # Errors
///
/// If the contender cannot serve here, or an answer is missing.
pub(super) fn take(
    need: Need,
    length: Duration,
    serve: impl FnOnce(TcpStream, TcpStream) -> Result<(), String>,
) -> Result<Measurement, String> {
    let (keeper, with) = connect()?;
    let (other, connection) = connect()?;
    thread::scope(|scope| {
        // Dropping both connections, even while a panic unwinds, ends the
        // tasks.
        let asked = scope.spawn(move || {
            ask(&keeper, &other, need, length)
                .map_err(|error| format!("an answer: {error}"))
        });
        serve(with, connection)?;
        asked.join().expect("the load does not panic")
    })
}

/// Sends requests on both connections for `length`, and waits for the first
/// task's answer before the next requests.
pub(crate) fn ask(
    mut keeper: &TcpStream,
    mut other: &TcpStream,
    need: Need,
    length: Duration,
) -> std::io::Result<Measurement> {
    let mut latencies = Histogram::new(3).expect("three digits are possible");
    let begin = Instant::now();
    while begin.elapsed() < length {
        thread::sleep(PAUSE);
        let mut asked = Instant::now();
        keeper.write_all(&[0])?;
        if need == Need::Driver {
            thread::sleep(HEAD_START);
            asked = Instant::now();
            other.write_all(&[0])?;
        }
        other.read_exact(&mut [0])?;
        latencies += asked.elapsed().as_nanos() as u64;
        keeper.read_exact(&mut [0])?;
    }
    Ok(Measurement {
        answered: latencies.len(),
        elapsed: begin.elapsed(),
        latencies: Some(latencies),
        ..Measurement::default()
    })
}
