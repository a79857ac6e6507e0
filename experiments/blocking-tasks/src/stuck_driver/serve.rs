//! Two tasks on each runtime: one that keeps its thread busy, and another
//! that should run meanwhile.

use std::future::Future;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use smol::channel::{bounded, Receiver, Sender};
use tokio::task::{block_in_place, spawn_blocking};

use crate::connection::{Messages, OfFutures};
use crate::executors::{self, ours, tokio_multi_thread};

/// The thing that the other task needs and only the stuck thread can provide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// The stuck thread is the one that polls the sockets.
    Driver,
    /// The stuck thread has just woken the other task, and keeps it in its
    /// LIFO slot.
    LifoSlot,
}

impl Need {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Need::Driver => "driver",
            Need::LifoSlot => "lifo slot",
        }
    }
}

#[derive(Debug)]
pub(super) struct Connections {
    /// The connection of the task that keeps its thread busy. An answer on it
    /// means that the poll is over.
    pub(super) with: TcpStream,
    /// The connection of the other task.
    pub(super) connection: TcpStream,
    pub(super) need: Need,
    pub(super) held: Duration,
}

/// Serves both connections until they are closed. Returns an error if the
/// runtime can't run here.
pub(super) type Serve = fn(Connections) -> Result<(), String>;

/// For each byte received, wakes the other task if there is a channel to it,
/// keeps the thread busy, and answers.
async fn keeps<Held: Future>(
    mut with: impl Messages,
    other: Option<Sender<()>>,
    held: impl Fn() -> Held,
) {
    while with.receive(&mut [0]).await {
        if let Some(other) = &other {
            // The channel can only be full if the other task has ended.
            let _ = other.try_send(());
        }
        held().await;
        if !with.send(&[0]).await {
            return;
        }
    }
}

/// Answers each byte on the connection or, with a channel, each message from
/// the other task.
async fn answers(mut connection: impl Messages, woken: Option<Receiver<()>>) {
    loop {
        let asked = match &woken {
            Some(woken) => woken.recv().await.is_ok(),
            None => connection.receive(&mut [0]).await,
        };
        if !asked || !connection.send(&[0]).await {
            return;
        }
    }
}

/// Creates the channel through which the first task wakes the other one.
/// Returns `None` twice if the other task waits for its socket instead.
fn channel(need: Need) -> (Option<Sender<()>>, Option<Receiver<()>>) {
    match need {
        Need::Driver => (None, None),
        Need::LifoSlot => {
            let (sender, receiver) = bounded(1);
            (Some(sender), Some(receiver))
        }
    }
}

/// Runs both tasks on Tokio. The first one sleeps in its poll.
pub(super) fn on_tokio(all: Connections) -> Result<(), String> {
    on_tokio_with(all, |held| async move { thread::sleep(held) })
}

/// Runs both tasks on Tokio. The first one hands its sleep to a thread of the
/// blocking pool.
pub(super) fn on_tokios_pool(all: Connections) -> Result<(), String> {
    on_tokio_with(all, |held| spawn_blocking(move || thread::sleep(held)))
}

/// Runs both tasks on Tokio. The first one calls `block_in_place` before it
/// sleeps.
pub(super) fn on_tokio_in_place(all: Connections) -> Result<(), String> {
    on_tokio_with(all, |held| async move {
        block_in_place(|| thread::sleep(held));
    })
}

fn on_tokio_with<Held>(
    all: Connections,
    keep: fn(Duration) -> Held,
) -> Result<(), String>
where
    Held: Future + Send + 'static,
{
    let runtime = tokio_multi_thread()?;
    let Connections { with, connection, need, held } = all;
    let (other, woken) = channel(need);
    // Both tasks run on workers, because the thread in `block_on` isn't a
    // worker.
    let both = runtime.spawn(async move {
        let stream = |of| tokio::net::TcpStream::from_std(of);
        let (with, connection) = (stream(with)?, stream(connection)?);
        let keeps = tokio::spawn(keeps(with, other, move || keep(held)));
        let answers = tokio::spawn(answers(connection, woken));
        keeps.await?;
        answers.await?;
        std::io::Result::Ok(())
    });
    let ended = runtime.block_on(both).map_err(|error| error.to_string())?;
    ended.map_err(|error| error.to_string())
}

pub(super) fn on_smol(all: Connections) -> Result<(), String> {
    let Connections { with, connection, need, held } = all;
    let stream = |of| {
        let stream = smol::net::TcpStream::try_from(of);
        stream.map(OfFutures).map_err(|error: std::io::Error| error.to_string())
    };
    let (with, connection) = (stream(with)?, stream(connection)?);
    let (other, woken) = channel(need);
    let executor = smol::Executor::new();
    let keep = move || async move { thread::sleep(held) };
    let keeps = executor.spawn(keeps(with, other, keep));
    let answers = executor.spawn(answers(connection, woken));
    executors::on_smol(&executor, async {
        keeps.await;
        answers.await;
    });
    Ok(())
}

pub(super) fn on_ours(
    look_every: Option<Duration>,
    all: Connections,
) -> Result<(), String> {
    let Connections { with, connection, need, held } = all;
    let (other, woken) = channel(need);
    let stream = |of| OfFutures(noticing::TcpStream::from(of));
    let keep = move || async move { thread::sleep(held) };
    ours(look_every)?.block_on(async move {
        let keeps = noticing::spawn(keeps(stream(with), other, keep));
        let answers = noticing::spawn(answers(stream(connection), woken));
        keeps.await.and(answers.await).map_err(|error| error.to_string())
    })
}
