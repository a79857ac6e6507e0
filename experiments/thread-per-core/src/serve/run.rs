//! Runs each echo server: builds its runtime, passes it a listener, and calls
//! the code that the page shows. The functions return only if there is an
//! error. Functions that other servers use as well get the code to call as
//! their parameter `serve`.

use std::future::Future;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;

use host::cores::pin_this_thread;
#[cfg(target_os = "linux")]
use runtimes::no_ring;
use runtimes::{not_built, LocalRuntime};
use schedulers::{Executor, Policy};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

#[cfg(target_os = "linux")]
use super::interface::Interface;
use super::worker::Worker;
use crate::listings::echo;

pub(super) type Outcome = Result<(), String>;

pub(super) type Accepted = &'static AtomicU64;

pub(super) fn in_words(error: impl ToString) -> String {
    error.to_string()
}

pub(crate) fn std_thread(worker: Worker) -> Outcome {
    let listener = worker.listener()?;
    worker.ready();
    echo::std_thread::serve(&listener, worker.accepted());
    Ok(())
}

/// Serves on one Tokio runtime, with a single listener or with a listener per
/// worker.
pub(crate) fn tokio_multi_thread(worker: Worker) -> Outcome {
    let listeners = if worker.reuseport { worker.workers() } else { 1 };
    let serve = echo::tokio::serve;
    tokio_workers(&worker, worker.workers(), 0..listeners, serve)
}

pub(crate) fn tokio_one_worker(worker: Worker) -> Outcome {
    let places = worker.place..worker.place + 1;
    tokio_workers(&worker, 1, places, echo::tokio::serve)
}

/// Runs Tokio's multi-thread runtime with `workers` workers, and a listener
/// for each index in `places`.
pub(super) fn tokio_workers<Serving>(
    worker: &Worker,
    workers: usize,
    places: Range<usize>,
    serve: impl Fn(tokio::net::TcpListener, Accepted) -> Serving,
) -> Outcome
where
    Serving: Future<Output = ()> + Send + 'static,
{
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers).enable_all();
    if worker.pinned {
        let next = AtomicUsize::new(places.start);
        builder.on_thread_start(move || {
            let place = next.fetch_add(1, Ordering::Relaxed);
            pin_this_thread(place).expect("threads can be pinned");
        });
    }
    let runtime = builder.build().map_err(not_built)?;
    runtime.block_on(async {
        let mut serving = JoinSet::new();
        for place in places {
            let listener = tokio_listener(worker)?;
            let accepted = worker.accepted_at(place);
            serving.spawn(serve(listener, accepted));
        }
        worker.ready();
        serving.join_next().await.transpose().map_err(in_words)?;
        Ok(())
    })
}

fn tokio_listener(worker: &Worker) -> Result<tokio::net::TcpListener, String> {
    let listener = worker.nonblocking_listener()?;
    tokio::net::TcpListener::from_std(listener).map_err(in_words)
}

pub(crate) fn tokio_as_published(worker: Worker) -> Outcome {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(worker.workers()).enable_all();
    builder.build().map_err(not_built)?.block_on(async {
        let listener = tokio_listener(&worker)?;
        worker.ready();
        let accepted = worker.accepted();
        let serving = echo::tokio_as_published::serve(listener, accepted);
        serving.await.map_err(in_words)
    })
}

pub(crate) fn tokio_current_thread(worker: Worker) -> Outcome {
    on_current_thread(worker, echo::tokio::serve)
}

pub(super) fn on_current_thread<Serving>(
    worker: Worker,
    serve: impl FnOnce(tokio::net::TcpListener, Accepted) -> Serving
        + Send
        + 'static,
) -> Outcome
where
    Serving: Future<Output = ()> + Send,
{
    let runtime = runtimes::tokio::CURRENT_THREAD;
    runtime.start()?;
    let (says, said) = mpsc::channel();
    runtime.run(Box::pin(async move {
        let served = async {
            let listener = tokio_listener(&worker)?;
            worker.ready();
            serve(listener, worker.accepted()).await;
            Ok(())
        };
        drop(says.send(served.await));
    }));
    said.recv().map_err(in_words)?
}

pub(crate) fn tokio_local_set(worker: Worker) -> Outcome {
    run_on(runtimes::tokio::LOCAL_SET, || async move {
        let listener = tokio_listener(&worker)?;
        worker.ready();
        echo::tokio_local_set::serve(listener, worker.accepted()).await;
        Ok(())
    })
}

pub(crate) fn monoio_epoll(worker: Worker) -> Outcome {
    run_on(runtimes::monoio::EPOLL, || async move {
        let listener = worker.nonblocking_listener()?;
        monoio(&worker, listener, echo::monoio::serve).await
    })
}

pub(crate) fn monoio_io_uring(worker: Worker) -> Outcome {
    run_on(runtimes::monoio::IO_URING, || async move {
        monoio(&worker, worker.listener()?, echo::monoio::serve).await
    })
}

pub(super) async fn monoio<Serving>(
    worker: &Worker,
    listener: std::net::TcpListener,
    serve: impl FnOnce(monoio::net::TcpListener, Accepted) -> Serving,
) -> Outcome
where
    Serving: Future<Output = ()>,
{
    let listener =
        monoio::net::TcpListener::from_std(listener).map_err(in_words)?;
    worker.ready();
    serve(listener, worker.accepted()).await;
    Ok(())
}

#[cfg(target_os = "linux")]
pub(crate) fn monoio_as_published(worker: Worker) -> Outcome {
    let mut runtime = echo::monoio_as_published::runtime().map_err(no_ring)?;
    let interface = match runtime {
        monoio::FusionRuntime::Uring(_) => Interface::IoUring,
        monoio::FusionRuntime::Legacy(_) => Interface::Epoll,
    };
    runtime.block_on(async {
        let listener = worker.nonblocking_listener()?;
        let listener =
            monoio::net::TcpListener::from_std(listener).map_err(in_words)?;
        worker.ready_by(interface);
        let accepted = worker.accepted();
        echo::monoio_as_published::serve(listener, accepted).await;
        Ok(())
    })
}

/// Serves on Glommio, which creates its listener itself and always sets
/// SO_REUSEPORT.
#[cfg(target_os = "linux")]
pub(crate) fn glommio(worker: Worker) -> Outcome {
    // Tries to create a ring first, to return an error if that fails. Glommio
    // would panic.
    echo::io_uring::ring().map_err(no_ring)?;
    run_on(runtimes::glommio::UNBOUND, || async move {
        let listener = glommio::net::TcpListener::bind(worker.address());
        let listener = listener.map_err(in_words)?;
        worker.ready();
        echo::glommio::serve(listener, worker.accepted()).await;
        Ok(())
    })
}

pub(crate) fn compio(worker: Worker) -> Outcome {
    run_on(runtimes::compio::DEFAULT, || async move {
        let listener = compio::net::TcpListener::from_std(worker.listener()?);
        let listener = listener.map_err(in_words)?;
        worker.ready();
        echo::compio::serve(listener, worker.accepted()).await;
        Ok(())
    })
}

pub(crate) fn smol(worker: Worker) -> Outcome {
    let listener = smol::net::TcpListener::try_from(worker.listener()?);
    let listener = listener.map_err(in_words)?;
    worker.ready();
    echo::smol::run(worker.workers(), listener, worker.accepted());
    Ok(())
}

pub(crate) fn ours_pinned(worker: Worker) -> Outcome {
    ours(&worker, Policy::Pinned, echo::ours::serve)
}

pub(crate) fn ours_stealing(worker: Worker) -> Outcome {
    ours(&worker, Policy::Stealing, echo::ours::serve)
}

pub(super) fn ours(
    worker: &Worker,
    policy: Policy,
    serve: impl FnOnce(&Executor, &std::net::TcpListener, &AtomicU64),
) -> Outcome {
    let executor =
        Executor::new(policy, worker.workers()).map_err(not_built)?;
    let listener = worker.listener()?;
    worker.ready();
    serve(&executor, &listener, worker.accepted());
    Ok(())
}

#[cfg(target_os = "linux")]
pub(crate) fn epoll(worker: Worker) -> Outcome {
    let listener = worker.listener()?;
    worker.ready();
    echo::epoll::serve(&listener, worker.accepted()).map_err(in_words)
}

#[cfg(target_os = "linux")]
pub(crate) fn io_uring(worker: Worker) -> Outcome {
    let ring = echo::io_uring::ring().map_err(no_ring)?;
    let listener = worker.listener()?;
    worker.ready();
    echo::io_uring::serve(ring, &listener, worker.accepted()).map_err(in_words)
}

/// Runs the server that `serve` creates, on a runtime whose tasks stay on one
/// thread.
pub(super) fn run_on<Serving>(
    runtime: LocalRuntime,
    serve: impl FnOnce() -> Serving + Send + 'static,
) -> Outcome
where
    Serving: Future<Output = Outcome> + 'static,
{
    runtime.start()?;
    let (says, said) = mpsc::channel();
    runtime.run(Box::new(move || {
        let serving = serve();
        Box::pin(async move { drop(says.send(serving.await)) })
    }));
    said.recv().map_err(in_words)?
}
