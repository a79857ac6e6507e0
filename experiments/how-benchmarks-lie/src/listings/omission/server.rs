//! A server that sends each line back, and stalls at the end of every period.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::time::{sleep_until, Instant};

/// Serves one client until it disconnects. The periods begin when the client
/// arrives. The server stalls for the last `stall` of each `period`.
pub async fn serve(
    listener: TcpListener,
    period: Duration,
    stall: Duration,
) -> io::Result<()> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let (requests, mut answers) = stream.into_split();
    let mut requests = BufReader::new(requests).lines();
    let mut end = Instant::now() + period;
    while let Some(request) = requests.next_line().await? {
        while end <= Instant::now() {
            end += period;
        }
        if end - stall <= Instant::now() {
            sleep_until(end).await;
        }
        answers.write_all(format!("{request}\n").as_bytes()).await?;
    }
    Ok(())
}
