//! The ways to run jobs for a thread outside the runtime. Each defines how it
//! receives jobs and returns results.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::{mpsc, Mutex};
use std::thread;

use glommio::{LocalExecutorBuilder, Placement};
use harness::Measurement;
use monoio::io::AsyncReadRentExt;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use super::job::Job;
use super::load::Load;
use crate::executors::{tokio_current_thread, tokio_multi_thread, WORKERS};

type Outcome = Result<Measurement, String>;

/// Starts a runtime or a pool, and has it do the jobs of `load`. Returns an
/// error if it can't run here.
pub(super) type Serve = fn(Load) -> Outcome;

/// Does each job on the requesting thread, as the baseline.
pub(super) fn caller(load: Load) -> Outcome {
    load.run(Job::run)
}

pub(super) fn thread_per_job(load: Load) -> Outcome {
    load.run(|job| {
        let thread = thread::spawn(move || job.run());
        thread.join().expect("a job does not panic")
    })
}

/// Starts a fixed number of threads that take jobs from a shared channel.
pub(super) fn plain_pool(load: Load) -> Outcome {
    let (sender, jobs) = mpsc::channel::<(Job, mpsc::Sender<u64>)>();
    let jobs = Mutex::new(jobs);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            // The thread with the lock waits at the channel; the other
            // threads wait for the lock.
            let next = || jobs.lock().expect("no job has it").recv().ok();
            scope.spawn(move || {
                for (job, result) in std::iter::from_fn(next) {
                    let _ = result.send(job.run());
                }
            });
        }
        let (done, result) = mpsc::channel();
        let outcome = load.run(|job| {
            sender.send((job, done.clone())).expect("threads wait for it");
            result.recv().expect("a job has a result")
        });
        // Closing the channel makes the threads exit.
        drop(sender);
        outcome
    })
}

fn rayon_pool() -> Result<ThreadPool, String> {
    let pool = ThreadPoolBuilder::new().num_threads(WORKERS).build();
    pool.map_err(runtimes::not_built)
}

pub(super) fn rayon_spawn(load: Load) -> Outcome {
    let pool = rayon_pool()?;
    load.run(|job| {
        let (sender, result) = oneshot::channel();
        pool.spawn(move || {
            let _ = sender.send(job.run());
        });
        result.blocking_recv().expect("the job sends one")
    })
}

pub(super) fn rayon_install(load: Load) -> Outcome {
    let pool = rayon_pool()?;
    load.run(|job| pool.install(|| job.run()))
}

pub(super) fn tokio_blocking(load: Load) -> Outcome {
    let runtime = tokio_multi_thread()?;
    load.run(|job| {
        let job = runtime.spawn_blocking(move || job.run());
        runtime.block_on(job).expect("a job does not panic")
    })
}

pub(super) fn tokio_workers(load: Load) -> Outcome {
    let runtime = tokio_multi_thread()?;
    load.run(|job| {
        let job = runtime.spawn(async move { job.run() });
        runtime.block_on(job).expect("a job does not panic")
    })
}

/// Uses Tokio's current_thread runtime. One thread drives it until it
/// receives a message to end.
pub(super) fn tokio_one_thread(load: Load) -> Outcome {
    let runtime = tokio_current_thread()?;
    let handle = runtime.handle().clone();
    let (end, ended) = oneshot::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || runtime.block_on(ended));
        let outcome = load.run(|job| {
            let (sender, result) = oneshot::channel();
            handle.spawn(async move {
                let _ = sender.send(job.run());
            });
            result.blocking_recv().expect("the job sends one")
        });
        drop(end);
        outcome
    })
}

/// Hands each job to smol's blocking pool, which starts a thread when none is
/// idle.
pub(super) fn smol_unblock(load: Load) -> Outcome {
    load.run(|job| {
        // Unlike `smol::future::block_on`, `smol::block_on` would also run
        // the reactor on this thread.
        smol::future::block_on(smol::unblock(move || job.run()))
    })
}

/// Uses a Glommio executor on the last core, pinned as Glommio's
/// documentation advises.
pub(super) fn glommio_pinned(load: Load) -> Outcome {
    // Glommio panics if it can't create a ring.
    host::rings::room_for_ring().map_err(runtimes::not_built)?;
    let cores = host::cores::usable()?;
    let core = *cores.last().ok_or("no core may be used")?;
    let (sender, jobs) = smol::channel::unbounded::<(Job, mpsc::Sender<u64>)>();
    let (says, ready) = mpsc::channel();
    let executor = LocalExecutorBuilder::new(Placement::Fixed(core));
    let executor = executor.spawn(move || async move {
        let _ = says.send(());
        while let Ok((job, result)) = jobs.recv().await {
            let _ = result.send(job.run());
        }
    });
    let executor = executor.map_err(runtimes::no_ring)?;
    // If the executor can't be built, for example with little locked memory,
    // no job gets a result.
    if ready.recv().is_err() {
        executor.join().map_err(runtimes::no_ring)?;
        return Err(runtimes::not_built("its thread has ended"));
    }
    let (done, result) = mpsc::channel();
    let outcome = load.run(|job| {
        sender.try_send((job, done.clone())).expect("it is unbounded");
        result.recv().expect("a job has a result")
    });
    drop(sender);
    executor.join().map_err(|error| format!("the executor: {error}"))?;
    outcome
}

/// Hands jobs to Monoio through a socket. Without Monoio's feature `sync`, no
/// other thread can wake one of its tasks.
pub(super) fn monoio(load: Load) -> Outcome {
    let runtime = runtimes::monoio::IO_URING_COOPERATIVE;
    let (mut caller, executor) = UnixStream::pair()
        .map_err(|error| format!("a pair of sockets: {error}"))?;
    let (done, result) = mpsc::channel();
    thread::scope(|scope| {
        let (says, said) = mpsc::channel();
        scope.spawn(move || {
            let started = runtime.start();
            let is_started = started.is_ok();
            drop(says.send(started));
            if !is_started {
                return;
            }
            runtime.run(Box::new(|| {
                Box::pin(async move {
                    let socket = monoio::net::UnixStream::from_std(executor);
                    let mut socket = socket.expect("a runtime takes a socket");
                    let mut bytes = Box::new([0; 16]);
                    loop {
                        let (read, filled) = socket.read_exact(bytes).await;
                        if read.is_err() {
                            break;
                        }
                        let _ = done.send(Job::from_bytes(*filled).run());
                        bytes = filled;
                    }
                })
            }));
        });
        said.recv().expect("the thread says it")?;
        let outcome = load.run(|job| {
            caller.write_all(&job.to_bytes()).expect("the task reads");
            result.recv().expect("a job has a result")
        });
        drop(caller);
        outcome
    })
}
