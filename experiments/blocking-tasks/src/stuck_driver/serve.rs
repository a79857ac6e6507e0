//! Two tasks, on one runtime each: one that keeps its thread, and one that does not.

use std::future::Future;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use smol::channel::{bounded, Receiver, Sender};
use tokio::task::{block_in_place, spawn_blocking};

use crate::connection::{Messages, OfFutures};
use crate::executors::{self, ours, tokio_multi_thread};

/// What the other task needs of the thread that is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// That it asks the kernel about sockets.
    Driver,
    /// The task itself, which it has just woken.
    LifoSlot,
}

impl Need {
    /// The value of the parameter `kernel`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Need::Driver => "driver",
            Need::LifoSlot => "lifo slot",
        }
    }
}

/// What the two tasks have. Neither connection blocks.
#[derive(Debug)]
pub(super) struct Connections {
    /// Of the task that keeps its thread. It answers when it is done.
    pub(super) with: TcpStream,
    /// Of the other one.
    pub(super) connection: TcpStream,
    pub(super) need: Need,
    /// For how long the thread is kept.
    pub(super) held: Duration,
}

/// Serves both until they are closed. An error is why it cannot.
pub(super) type Serve = fn(Connections) -> Result<(), String>;

/// With each byte that comes it wakes the other task, if that needs it, and then keeps
/// its thread.
async fn keeps<Held: Future>(
    mut with: impl Messages,
    other: Option<Sender<()>>,
    held: impl Fn() -> Held,
) {
    while with.receive(&mut [0]).await {
        if let Some(other) = &other {
            // It is full only if the other has ended.
            let _ = other.try_send(());
        }
        held().await;
        if !with.send(&[0]).await {
            return;
        }
    }
}

/// Answers a byte, or whoever wakes it.
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

/// The two ends of what one task wakes the other by, if it does.
fn channel(need: Need) -> (Option<Sender<()>>, Option<Receiver<()>>) {
    match need {
        Need::Driver => (None, None),
        Need::LifoSlot => {
            let (sender, receiver) = bounded(1);
            (Some(sender), Some(receiver))
        }
    }
}

/// The task itself sleeps.
pub(super) fn on_tokio(all: Connections) -> Result<(), String> {
    on_tokio_with(all, |held| async move { thread::sleep(held) })
}

/// A thread of the blocking pool does.
pub(super) fn on_tokios_pool(all: Connections) -> Result<(), String> {
    on_tokio_with(all, |held| spawn_blocking(move || thread::sleep(held)))
}

/// The task does, and Tokio is told before.
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
    // On workers, and not on the thread that only waits.
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
