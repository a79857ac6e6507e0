//! A message whose only purpose is to wake a thread. It goes through a pipe,
//! from a core that never sleeps to a core that sleeps unless something keeps
//! it awake.

use std::io::{pipe, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use harness::{pin_this_thread, Measurement};
use hdrhistogram::Histogram;

use super::setting::{server_and_load, Place, RATE};

/// The length of a message in bytes. A message contains the time at which it
/// was due, in nanoseconds since the start.
const BYTES: usize = size_of::<u64>();

/// The maximum number of messages to read at once.
const READ: usize = 64;

/// Measures how long messages take, from when each is due until it is read.
pub(super) fn ask(window: Duration) -> Result<Measurement, String> {
    let [Place(server), Place(load)] = server_and_load()?;
    let (reader, writer) = pipe().map_err(in_words)?;
    let start = Instant::now();
    let (sent, read) = thread::scope(|scope| {
        let sent = scope.spawn(move || {
            pin_this_thread(load)?;
            send(writer, start, window).map_err(in_words)
        });
        let read = scope.spawn(move || {
            pin_this_thread(server)?;
            read(reader, start)
        });
        (sent.join(), read.join())
    });
    let sent = sent.expect("it does not panic")?;
    let latencies = read.expect("it does not panic")?;
    if latencies.len() != sent {
        let read = latencies.len();
        return Err(format!("{sent} messages were sent, and {read} read"));
    }
    Ok(Measurement {
        answered: sent,
        elapsed: window,
        offered: Some(RATE),
        latencies: Some(latencies),
        ..Measurement::default()
    })
}

fn in_words(error: std::io::Error) -> String {
    format!("the pipe: {error}")
}

/// Sends a message at each due time (Poisson arrivals), and returns how many
/// were sent.
fn send(
    mut pipe: PipeWriter,
    start: Instant,
    window: Duration,
) -> std::io::Result<u64> {
    let (mut due, mut sent) = (Duration::ZERO, 0);
    loop {
        due += Duration::from_secs_f64(-(1.0 - fastrand::f64()).ln() / RATE);
        if due >= window {
            return Ok(sent);
        }
        while start.elapsed() < due {}
        pipe.write_all(&(due.as_nanos() as u64).to_le_bytes())?;
        sent += 1;
    }
}

/// Reads messages until the pipe is closed. Returns how late each message
/// was.
fn read(
    mut pipe: PipeReader,
    start: Instant,
) -> Result<Histogram<u64>, String> {
    let mut late = Histogram::new(2).expect("two digits are possible");
    let mut messages = [0; READ * BYTES];
    loop {
        let read = match pipe.read(&mut messages) {
            Ok(0) => return Ok(late),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(in_words(error)),
        };
        let now = start.elapsed().as_nanos() as u64;
        // A pipe never splits a message of eight bytes.
        for due in messages[..read].chunks_exact(BYTES) {
            let due = u64::from_le_bytes(due.try_into().expect("eight bytes"));
            let wait = now.checked_sub(due).ok_or("read before it was due")?;
            late.record(wait).expect("it grows");
        }
    }
}
