//! An open loop: each request is sent when it is due, whether or not earlier
//! ones have been answered. Its latency is measured from when it was due.

use std::io;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep_until, Instant};

/// Sends `requests` requests at intervals of `gap`. Returns their latencies,
/// and how late they were sent, in nanoseconds.
pub async fn latencies(
    stream: TcpStream,
    requests: u32,
    gap: Duration,
) -> io::Result<(Histogram<u64>, Histogram<u64>)> {
    let (answers, mut sink) = stream.into_split();
    let begin = Instant::now();
    let due = move |request| begin + gap * request;
    let mut latencies = Histogram::new(3).expect("three digits are allowed");
    let mut lateness = latencies.clone();
    let sender = tokio::spawn(async move {
        for request in 0..requests {
            sleep_until(due(request)).await;
            lateness += due(request).elapsed().as_nanos() as u64;
            sink.write_all(format!("{request}\n").as_bytes()).await?;
        }
        Ok::<_, io::Error>(lateness)
    });
    let mut answers = BufReader::new(answers).lines();
    for request in 0..requests {
        let answer = answers.next_line().await?;
        latencies += due(request).elapsed().as_nanos() as u64;
        assert_eq!(answer, Some(request.to_string()));
    }
    Ok((latencies, sender.await??))
}
