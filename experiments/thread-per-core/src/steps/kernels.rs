//! The small programs that experiment `steps` measures. Each runs as a root
//! task, and returns its answer and its running time. The time excludes
//! starting the workers.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use harness::work::work;

use super::executors::{Executor, Sockets, Stream};

pub(super) const UNITS: u64 = 1_000;

/// The number of tasks that pass a number around in a ring.
pub(super) const RING: u64 = 100;

/// How many times a number goes round the ring of tasks.
pub(super) const LAPS: u64 = 20;

/// How often a number is sent back and forth, to a thread or over a
/// connection.
pub(super) const TRIPS: u64 = 200;

pub(super) const COMPUTING: u64 = 64;

pub(super) const fn sum_below(number: u64) -> u64 {
    number * (number - 1) / 2
}

/// Spawns [`UNITS`] tasks, each of which returns its number, and awaits them
/// all.
pub(super) async fn spawn(executor: impl Executor) -> (Duration, u64) {
    let start = Instant::now();
    let tasks: Vec<_> =
        (0..UNITS).map(|id| executor.spawn(async move { id })).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    (start.elapsed(), sum)
}

/// Passes a number around a ring of tasks. Each task wakes the next one.
pub(super) async fn ring(executor: impl Executor) -> (Duration, u64) {
    let (first, mut before) = async_channel::bounded(1);
    let mut tasks = Vec::new();
    for _ in 1..RING {
        let (sender, receiver) = async_channel::bounded(1);
        let from = std::mem::replace(&mut before, receiver);
        tasks.push(executor.spawn(async move {
            while let Ok(number) = from.recv().await {
                sender.send(number).await.expect("the next one receives");
            }
        }));
    }
    let start = Instant::now();
    let mut sum = 0;
    for lap in 0..LAPS {
        first.send(lap).await.expect("the first one receives");
        sum += before.recv().await.expect("the last one sends");
    }
    let took = start.elapsed();
    drop(first);
    for task in tasks {
        task.await;
    }
    (took, sum)
}

/// Sends numbers to a thread outside the executor and back. The executor is
/// idle until that thread wakes it.
pub(super) async fn from_outside(_: impl Executor) -> (Duration, u64) {
    let (there, receiver) = async_channel::bounded(1);
    let (sender, back) = async_channel::bounded(1);
    let outside = thread::spawn(move || {
        while let Ok(number) = receiver.recv_blocking() {
            sender.send_blocking(number).expect("the task receives");
        }
    });
    let start = Instant::now();
    let mut sum = 0;
    for trip in 0..TRIPS {
        there.send(trip).await.expect("the thread receives");
        sum += back.recv().await.expect("the thread sends");
    }
    let took = start.elapsed();
    drop(there);
    outside.join().expect("the thread ends");
    (took, sum)
}

/// Sends numbers back and forth between two tasks over a TCP connection.
pub(super) async fn echo<E: Sockets>(executor: E) -> (Duration, u64) {
    async fn both<E: Sockets>(executor: E) -> io::Result<(Duration, u64)> {
        let (mut client, mut server) = executor.pair().await?;
        let echo = executor.spawn(async move {
            let mut buffer = [0; 8];
            loop {
                match server.read(&mut buffer).await? {
                    0 => return Ok::<_, io::Error>(()),
                    n => server.write_all(&buffer[..n]).await?,
                }
            }
        });
        let start = Instant::now();
        let mut sum = 0;
        for trip in 0..TRIPS {
            client.write_all(&trip.to_le_bytes()).await?;
            let mut answer = [0; 8];
            let mut read = 0;
            while read < answer.len() {
                match client.read(&mut answer[read..]).await? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    n => read += n,
                }
            }
            sum += u64::from_le_bytes(answer);
        }
        let took = start.elapsed();
        drop(client);
        echo.await?;
        Ok((took, sum))
    }
    both(executor).await.expect("the connection holds")
}

/// Runs [`COMPUTING`] tasks, each of which computes for `rounds` rounds.
pub(super) async fn computing(
    executor: impl Executor,
    rounds: u64,
) -> (Duration, u64) {
    let start = Instant::now();
    let compute = |id| async move {
        work(rounds);
        id
    };
    let tasks: Vec<_> =
        (0..COMPUTING).map(|id| executor.spawn(compute(id))).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    (start.elapsed(), sum)
}
