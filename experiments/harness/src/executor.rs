//! The executors on which asynchronous cells run. Each is started when a cell
//! first asks for it and lives as long as its process, so that no batch pays for
//! that. Where an executor has one thread, it is not the harness's: that one also
//! serves as `block_on`'s for others, and on it they are slower.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::mpsc;
use std::sync::LazyLock;
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use crate::placement::Placement;
use crate::stopwatch::Timed;

/// Executors that take tasks which may move between threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Executor {
    /// Tokio's multi-thread runtime with a worker for each core.
    TokioMultiThread,
    /// The same with one worker: what a program gets that is started on one
    /// core ([`Executor::tokio_started_on`]). The contender is the same.
    TokioOneWorker,
    /// Tokio's current_thread runtime.
    TokioCurrentThread,
    /// smol's global executor with a thread for each core of the machine,
    /// wherever the cell is placed: the threads are the process's, and their
    /// number is read once. So on one core they share it, where a program that
    /// is started there has one thread, which is smol's default as well.
    Smol,
}

/// Executors that take tasks which stay on their thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalExecutor {
    /// Tokio's `LocalSet` on a current_thread runtime.
    TokioLocalSet,
    /// Monoio on its legacy driver (epoll; kqueue and others elsewhere).
    MonoioEpoll,
    /// Monoio on io_uring.
    MonoioIoUring,
    /// Glommio, not bound to a core.
    Glommio,
    /// compio on its default driver (io_uring; others elsewhere).
    Compio,
}

impl Executor {
    /// The contender's name.
    pub fn contender(self) -> &'static str {
        match self {
            Executor::TokioMultiThread | Executor::TokioOneWorker => {
                "tokio multi-thread"
            }
            Executor::TokioCurrentThread => "tokio current_thread",
            Executor::Smol => "smol",
        }
    }

    /// Tokio's multi-thread runtime as a program gets it that is started on
    /// these cores: with a worker for each of them.
    pub fn tokio_started_on(placement: Placement) -> Executor {
        match placement {
            Placement::OneCore => Executor::TokioOneWorker,
            Placement::AllCores | Placement::Neighbours => {
                Executor::TokioMultiThread
            }
        }
    }

    /// All of them, each contender once.
    pub const ALL: [Executor; 3] = [
        Executor::TokioMultiThread,
        Executor::TokioCurrentThread,
        Executor::Smol,
    ];
}

impl LocalExecutor {
    /// The contender's name.
    pub fn contender(self) -> &'static str {
        match self {
            LocalExecutor::TokioLocalSet => "tokio LocalSet",
            LocalExecutor::MonoioEpoll => "monoio epoll",
            LocalExecutor::MonoioIoUring => "monoio io_uring",
            LocalExecutor::Glommio => "glommio",
            LocalExecutor::Compio => "compio",
        }
    }

    /// All of them.
    pub const ALL: [LocalExecutor; 5] = [
        LocalExecutor::TokioLocalSet,
        LocalExecutor::MonoioEpoll,
        LocalExecutor::MonoioIoUring,
        LocalExecutor::Glommio,
        LocalExecutor::Compio,
    ];
}

impl fmt::Display for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.contender())
    }
}

impl fmt::Display for LocalExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.contender())
    }
}

/// A batch, as a task for any thread.
type SendBatch = Pin<Box<dyn Future<Output = Timed> + Send>>;

/// Makes, on the thread where it is to stay, a batch as a task.
type LocalBatch =
    Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = Timed>>> + Send>;

static TOKIO: LazyLock<Result<Runtime, String>> =
    LazyLock::new(|| Runtime::new().map_err(said));

static TOKIO_ONE_WORKER: LazyLock<Result<Runtime, String>> =
    LazyLock::new(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).enable_all().build().map_err(said)
    });

/// Waits on this thread for a task of an executor that has threads of its own.
/// The thread sleeps until it is woken and does nothing for anybody's reactor,
/// unlike in the `block_on` of smol and of async-std. A panic of the task goes on
/// here.
pub fn wait_for<Answer>(task: impl Future<Output = Answer>) -> Answer {
    smol::future::block_on(task)
}

/// A Tokio runtime with a worker for each core that is for one visit: when it is
/// dropped, its threads end, also those of its pool for blocking calls, which
/// otherwise stay for ten seconds.
///
/// # Errors
///
/// If it cannot be built here, with its own reason.
pub(crate) fn tokio_for_a_visit() -> Result<Runtime, String> {
    Builder::new_multi_thread()
        .enable_all()
        .thread_name("for a visit")
        .build()
        .map_err(said)
}

/// Runs a batch as a task of a Tokio runtime, and returns when it is done.
pub(crate) fn run_on(
    runtime: &Runtime,
    batch: impl Future<Output = Timed> + Send + 'static,
) -> Timed {
    finished(runtime.block_on(runtime.spawn(batch)))
}

/// The multi-thread Tokio runtime of this process.
pub(crate) fn tokio() -> &'static Runtime {
    let runtime = Executor::TokioMultiThread.runtime_with_workers();
    runtime.unwrap_or_else(|reason| panic!("{reason}"))
}

thread_local! {
    /// The threads that this thread, the harness's, has started.
    static THREADS: RefCell<HashMap<Executor, Thread<SendBatch>>> =
        RefCell::default();
    static LOCAL_THREADS: RefCell<HashMap<LocalExecutor, Thread<LocalBatch>>> =
        RefCell::default();
}

impl Executor {
    /// Starts it, if it has not been started.
    ///
    /// # Errors
    ///
    /// If it cannot be built here, with its own reason.
    pub(crate) fn start(self) -> Result<(), String> {
        match self {
            Executor::TokioMultiThread | Executor::TokioOneWorker => {
                self.runtime_with_workers().map(drop)
            }
            Executor::Smol => Ok(()),
            Executor::TokioCurrentThread => {
                THREADS.with_borrow_mut(|threads| {
                    ensure(threads, self, || {
                        let mut builder = Builder::new_current_thread();
                        let runtime =
                            builder.enable_all().build().map_err(said)?;
                        Ok(move |batch: SendBatch| {
                            finished(runtime.block_on(runtime.spawn(batch)))
                        })
                    })
                })
            }
        }
    }

    /// Tokio's runtime of this process with one worker or with one a core.
    fn runtime_with_workers(self) -> Result<&'static Runtime, String> {
        let runtime = match self {
            Executor::TokioOneWorker => &TOKIO_ONE_WORKER,
            Executor::TokioMultiThread => &TOKIO,
            other => unreachable!("{other} has no workers"),
        };
        runtime.as_ref().map_err(String::clone)
    }

    /// Runs a batch as a task.
    pub(crate) fn run(self, batch: SendBatch) -> Timed {
        restarted(self.start());
        match self {
            Executor::TokioMultiThread | Executor::TokioOneWorker => {
                let runtime = self.runtime_with_workers();
                run_on(runtime.expect("it was started"), batch)
            }
            // `smol::block_on` would have this thread wait in the reactor, and
            // each event go through it to the executor's threads.
            Executor::Smol => wait_for(smol::spawn(batch)),
            Executor::TokioCurrentThread => {
                THREADS.with_borrow_mut(|threads| run(threads, self, batch))
            }
        }
    }
}

impl LocalExecutor {
    /// Starts its thread, if it has none.
    ///
    /// # Errors
    ///
    /// If it cannot be built here, with its own reason.
    pub(crate) fn start(self) -> Result<(), String> {
        LOCAL_THREADS.with_borrow_mut(|threads| match self {
            LocalExecutor::TokioLocalSet => ensure(threads, self, local_set),
            LocalExecutor::MonoioEpoll => ensure(threads, self, monoio_epoll),
            LocalExecutor::MonoioIoUring => {
                ensure(threads, self, monoio_io_uring)
            }
            LocalExecutor::Glommio => ensure(threads, self, glommio),
            LocalExecutor::Compio => ensure(threads, self, compio),
        })
    }

    /// Runs a batch as a task on its thread.
    pub(crate) fn run(self, batch: LocalBatch) -> Timed {
        restarted(self.start());
        LOCAL_THREADS.with_borrow_mut(|threads| run(threads, self, batch))
    }
}

fn local_set() -> Result<impl FnMut(LocalBatch) -> Timed, String> {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build().map_err(said)?;
    let set = LocalSet::new();
    Ok(move |batch: LocalBatch| {
        finished(set.block_on(&runtime, set.spawn_local(batch())))
    })
}

fn monoio_epoll() -> Result<impl FnMut(LocalBatch) -> Timed, String> {
    let builder = monoio::RuntimeBuilder::<monoio::LegacyDriver>::new();
    let mut runtime = builder.enable_timer().build().map_err(said)?;
    Ok(move |batch: LocalBatch| {
        runtime.block_on(async { monoio::spawn(batch()).await })
    })
}

#[cfg(target_os = "linux")]
fn monoio_io_uring() -> Result<impl FnMut(LocalBatch) -> Timed, String> {
    let builder = monoio::RuntimeBuilder::<monoio::IoUringDriver>::new();
    let mut runtime = builder.enable_timer().build().map_err(no_ring)?;
    Ok(move |batch: LocalBatch| {
        runtime.block_on(async { monoio::spawn(batch()).await })
    })
}

#[cfg(target_os = "linux")]
fn glommio() -> Result<impl FnMut(LocalBatch) -> Timed, String> {
    use glommio::{LocalExecutorBuilder, Placement};
    let builder = LocalExecutorBuilder::new(Placement::Unbound);
    let executor = builder.make().map_err(no_ring)?;
    Ok(move |batch: LocalBatch| {
        executor.run(async { glommio::spawn_local(batch()).await })
    })
}

#[cfg(not(target_os = "linux"))]
fn monoio_io_uring() -> Result<fn(LocalBatch) -> Timed, String> {
    Err("io_uring is Linux's".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn glommio() -> Result<fn(LocalBatch) -> Timed, String> {
    Err("glommio runs on Linux only".to_owned())
}

fn compio() -> Result<impl FnMut(LocalBatch) -> Timed, String> {
    let runtime = compio::runtime::Runtime::new().map_err(no_ring)?;
    Ok(move |batch: LocalBatch| {
        let task = runtime.spawn(batch());
        runtime.block_on(task).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Of an executor that was started before, and anew if another cell's panic has
/// taken it along.
fn restarted(started: Result<(), String>) {
    if let Err(reason) = started {
        panic!("{reason}");
    }
}

fn said(error: impl fmt::Display) -> String {
    format!("it cannot be built here: {error}")
}

/// The same for an executor on io_uring, with what to do about it where that is
/// known.
fn no_ring(error: impl fmt::Display) -> String {
    let text = error.to_string();
    let refused = text.contains("Operation not permitted");
    let no_memory = ["Cannot allocate memory", "MemLockLimit"]
        .iter()
        .any(|words| text.contains(words));
    let hint = match (refused, no_memory) {
        (true, _) => "; io_uring may be switched off: sysctl kernel.io_uring_disabled, or a container's seccomp filter",
        (_, true) => "; its ring is locked memory: raise the limit, for instance ulimit -l 8192",
        _ => "",
    };
    said(text + hint)
}

/// The outcome of a Tokio task; its panic goes on here.
fn finished(outcome: Result<Timed, tokio::task::JoinError>) -> Timed {
    outcome
        .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// A long-lived thread with an executor on it.
struct Thread<Batch> {
    batches: mpsc::Sender<Batch>,
    outcomes: mpsc::Receiver<thread::Result<Timed>>,
}

/// Starts a thread for the executor that `build` builds there, if there is none.
fn ensure<Which, Batch, Run>(
    threads: &mut HashMap<Which, Thread<Batch>>,
    which: Which,
    build: impl FnOnce() -> Result<Run, String> + Send + 'static,
) -> Result<(), String>
where
    Which: Eq + Hash + fmt::Display,
    Batch: Send + 'static,
    Run: FnMut(Batch) -> Timed,
{
    if threads.contains_key(&which) {
        return Ok(());
    }
    let (batches, to_run) = mpsc::channel();
    let (done, outcomes) = mpsc::channel();
    let (says, ready) = mpsc::channel();
    let body = move || {
        let mut run = match build() {
            Ok(run) => run,
            Err(reason) => return drop(says.send(Err(reason))),
        };
        drop(says.send(Ok(())));
        // Ends with the harness's thread.
        for batch in to_run {
            let caught = std::panic::AssertUnwindSafe(|| run(batch));
            let outcome = std::panic::catch_unwind(caught);
            let go_on = outcome.is_ok();
            drop(done.send(outcome));
            if !go_on {
                return;
            }
        }
    };
    let builder = thread::Builder::new().name(which.to_string());
    builder.spawn(body).map_err(said)?;
    let gone = || Err(format!("{which} panicked while it was built"));
    ready.recv().unwrap_or_else(|_| gone())?;
    threads.insert(which, Thread { batches, outcomes });
    Ok(())
}

/// Runs a batch on an executor's thread. If it panics, the executor is not to be
/// trusted any more: the panic goes on here, and the next batch gets a new one.
fn run<Which, Batch>(
    threads: &mut HashMap<Which, Thread<Batch>>,
    which: Which,
    batch: Batch,
) -> Timed
where
    Which: Eq + Hash + fmt::Display,
{
    let outcome = threads.get(&which).map(|thread| {
        drop(thread.batches.send(batch));
        thread.outcomes.recv()
    });
    match outcome {
        Some(Ok(Ok(timed))) => timed,
        Some(Ok(Err(panic))) => {
            threads.remove(&which);
            std::panic::resume_unwind(panic)
        }
        Some(Err(_)) | None => {
            threads.remove(&which);
            panic!("{which}'s thread is gone")
        }
    }
}
