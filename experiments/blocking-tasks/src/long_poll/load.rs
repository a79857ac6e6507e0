//! The load generator, which sends messages over a connection at random
//! times, whether or not the tasks are busy. The latency of an answer is
//! measured from the time when its message was due.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::connection::MESSAGE;
use crate::timer::{be_woken_in_time, sleep_until};

pub(super) const RATE: f64 = 1_000.0;

/// The latencies of the messages that were due during the measurement.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) latencies: Histogram<u64>,
    /// The time from the beginning of the measurement to the last answer.
    pub(super) until_last: Duration,
    /// The load generator's mean delay in sending a message, in nanoseconds.
    pub(super) late: f64,
    /// The CPU time of the load generator's two threads, as a fraction of one
    /// core. Zero if the system doesn't report it.
    pub(super) cpu_share: f64,
}

/// Sends messages until the end of `window`. Returns when all answers have
/// arrived.
///
/// # Errors
///
/// If an answer is wrong or missing.
pub(super) fn ask(
    connection: &TcpStream,
    window: &Range<Instant>,
) -> Result<Answers, String> {
    let start = Instant::now();
    let due = due(start, window.end);
    thread::scope(|scope| {
        let sending = scope.spawn(|| send(connection, start, &due, window));
        let received = read(connection, start, &due, window);
        let sent = sending.join().expect("it does not panic");
        let (late, cpu) = sent.map_err(|error| format!("sending: {error}"))?;
        let Received { latencies, last, cpu: of_reading } = received?;
        let cpu = cpu + of_reading;
        Ok(Answers {
            latencies,
            until_last: last - window.start,
            late,
            cpu_share: cpu.div_duration_f64(last - start),
        })
    })
}

/// Returns the times when messages are due, relative to `start`, at
/// exponentially distributed intervals.
fn due(start: Instant, end: Instant) -> Vec<Duration> {
    let mut at = Duration::ZERO;
    let next = || {
        at += Duration::from_secs_f64(-(1.0 - fastrand::f64()).ln() / RATE);
        (start + at < end).then_some(at)
    };
    std::iter::from_fn(next).collect()
}

/// Sends each message when it is due. Returns the average lateness of the
/// messages due in `window`, and the CPU time used.
fn send(
    mut connection: &TcpStream,
    start: Instant,
    due: &[Duration],
    window: &Range<Instant>,
) -> std::io::Result<(f64, Duration)> {
    be_woken_in_time();
    let mut late = Vec::new();
    for due in due {
        let at = start + *due;
        sleep_until(at);
        if window.contains(&at) {
            late.push(at.elapsed().as_nanos() as f64);
        }
        connection.write_all(&(due.as_nanos() as u64).to_le_bytes())?;
    }
    let mean = late.iter().sum::<f64>() / late.len().max(1) as f64;
    Ok((mean, cpu_time_of_this_thread()))
}

struct Received {
    latencies: Histogram<u64>,
    last: Instant,
    cpu: Duration,
}

/// Reads the answer to each message, and checks that it equals the message.
fn read(
    mut connection: &TcpStream,
    start: Instant,
    due: &[Duration],
    window: &Range<Instant>,
) -> Result<Received, String> {
    be_woken_in_time();
    let mut latencies = Histogram::new(3).expect("three digits are possible");
    let mut last = start;
    let mut answer = [0; MESSAGE];
    for (place, due) in due.iter().enumerate() {
        let read = connection.read_exact(&mut answer);
        read.map_err(|error| format!("after {place} answers: {error}"))?;
        let now = Instant::now();
        if u64::from_le_bytes(answer) != due.as_nanos() as u64 {
            return Err(format!("answer {place} is not what was sent"));
        }
        let at = start + *due;
        if window.contains(&at) {
            last = now;
            latencies += (now - at).as_nanos() as u64;
        }
    }
    let cpu = cpu_time_of_this_thread();
    Ok(Received { latencies, last, cpu })
}

#[cfg(target_os = "linux")]
fn cpu_time_of_this_thread() -> Duration {
    use nix::time::{clock_gettime, ClockId};
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.map_or(Duration::ZERO, Duration::from)
}

#[cfg(not(target_os = "linux"))]
fn cpu_time_of_this_thread() -> Duration {
    Duration::ZERO
}
