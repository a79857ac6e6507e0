//! A closed loop: each request is sent when the previous one has been
//! answered. Its latency is measured from when it was sent.

use std::io;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Sends requests for `duration`, and returns their latencies in nanoseconds.
pub async fn latencies(
    stream: TcpStream,
    duration: Duration,
) -> io::Result<Histogram<u64>> {
    let (answers, mut requests) = stream.into_split();
    let mut answers = BufReader::new(answers).lines();
    let mut latencies = Histogram::new(3).expect("three digits are allowed");
    let begin = Instant::now();
    while begin.elapsed() < duration {
        let request = latencies.len().to_string();
        let sent = Instant::now();
        requests.write_all(format!("{request}\n").as_bytes()).await?;
        let answer = answers.next_line().await?;
        latencies += sent.elapsed().as_nanos() as u64;
        assert_eq!(answer, Some(request));
    }
    Ok(latencies)
}
