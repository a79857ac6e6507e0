//! Many tasks that wait, and a task that works in the meantime.

use std::future::{poll_fn, Future};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixDatagram, UnixStream};
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::sync::{Notify, Semaphore};
use tokio::task::{unconstrained, JoinHandle};
use tokio::time::{sleep, timeout};

use crate::listings::idle_task::idle;

/// A duration longer than any measurement.
const LONG: Duration = Duration::from_secs(3600);

/// The operation of the working task, and the objects that the waiting tasks
/// wait for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kernel {
    /// A message goes to a task and back, while other tasks wait at a gate.
    Switch,
    /// A task is spawned and awaited, while other tasks wait at a gate.
    Spawn,
    /// A timer is set and cancelled, while other tasks wait at a gate, each
    /// with a timeout of an hour.
    Timer,
    /// A byte goes to a task and back through a pair of sockets, while each
    /// of the other tasks waits for a socket.
    Sockets,
}

impl Kernel {
    /// Returns the value for the parameter `kernel`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kernel::Switch => "switch",
            Kernel::Spawn => "spawn",
            Kernel::Timer => "timer",
            Kernel::Sockets => "sockets",
        }
    }
}

/// Many waiting tasks, and the work to do while they wait.
pub(super) struct Waiting {
    gate: Arc<Notify>,
    tasks: Vec<JoinHandle<()>>,
    work: Work,
}

enum Work {
    Switch { to: Sender<u64>, from: Receiver<u64> },
    Spawn,
    Timer,
    Sockets(UnixStream),
}

impl Waiting {
    /// Starts `waiting` tasks, and returns when all of them wait.
    pub(super) async fn start(kernel: Kernel, waiting: u64) -> Waiting {
        let gate = Arc::new(Notify::new());
        let they_wait = Arc::new(Semaphore::new(0));
        let task =
            |_| tokio::spawn(wait(kernel, gate.clone(), they_wait.clone()));
        let tasks = (0..waiting).map(task).collect();
        let all = they_wait.acquire_many(waiting as u32).await;
        all.expect("it is never closed").forget();
        Waiting { gate, tasks, work: Work::of(kernel) }
    }

    /// Does the work once, and returns `self` and the answer, which is always
    /// 1.
    pub(super) async fn operate(mut self) -> (Waiting, u64) {
        let answer = match &mut self.work {
            Work::Switch { to, from } => {
                to.send(1).await.expect("the other one is there");
                from.recv().await.expect("the other one is there")
            }
            Work::Spawn => {
                tokio::spawn(async { 1 }).await.expect("it does not panic")
            }
            Work::Timer => set_and_give_up().await,
            Work::Sockets(stream) => {
                let mut byte = [1];
                let there = stream.write_all(&byte).await;
                there.expect("the other one is there");
                let back = stream.read_exact(&mut byte).await;
                back.expect("the other one is there");
                u64::from(byte[0])
            }
        };
        (self, answer)
    }

    /// Ends the tasks, and returns when all of them have ended.
    pub(super) async fn end(self) {
        // Dropping this end of the channel or socket ends the task at the
        // other end.
        drop(self.work);
        self.gate.notify_waiters();
        for task in self.tasks {
            task.await.expect("none panics");
        }
    }
}

impl Work {
    fn of(kernel: Kernel) -> Work {
        match kernel {
            Kernel::Switch => {
                let (to, mut there) = channel(1);
                let (back, from) = channel(1);
                tokio::spawn(async move {
                    while let Some(message) = there.recv().await {
                        back.send(message).await.ok();
                    }
                });
                Work::Switch { to, from }
            }
            Kernel::Spawn => Work::Spawn,
            Kernel::Timer => Work::Timer,
            Kernel::Sockets => {
                let (here, there) = UnixStream::pair().expect(ROOM);
                tokio::spawn(echo(there));
                Work::Sockets(here)
            }
        }
    }
}

const ROOM: &str = "there is room for as many files";

/// Waits as one of many tasks. `kernel` selects the object that the task
/// waits for: a gate, a timer or a socket.
async fn wait(kernel: Kernel, gate: Arc<Notify>, they_wait: Arc<Semaphore>) {
    let at_gate = idle::<64>(&gate, || they_wait.add_permits(1));
    match kernel {
        Kernel::Switch | Kernel::Spawn => {
            at_gate.await;
        }
        Kernel::Timer => {
            drop(timeout(LONG, at_gate).await);
        }
        Kernel::Sockets => {
            let socket = UnixDatagram::unbound().expect(ROOM);
            tokio::select! {
                biased;
                _ = socket.readable() => {}
                _ = at_gate => {}
            }
        }
    }
}

async fn echo(mut stream: UnixStream) {
    let mut byte = [0];
    // When the other end is closed, reading fails and the task ends.
    while stream.read_exact(&mut byte).await.is_ok() {
        drop(stream.write_all(&byte).await);
    }
}

/// Sets and cancels a timer, like the timer of a request that is answered in
/// time.
async fn set_and_give_up() -> u64 {
    // Without `unconstrained`, Tokio wouldn't poll the timer once the task's
    // budget is used up.
    let mut timer = pin!(unconstrained(sleep(LONG)));
    poll_fn(|context| {
        let is_over = timer.as_mut().poll(context).is_ready();
        Poll::Ready(u64::from(!is_over))
    })
    .await
}
