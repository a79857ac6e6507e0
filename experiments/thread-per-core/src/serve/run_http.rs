//! Runs each HTTP server: builds its runtime, passes it a listener, and calls
//! the code that the page shows.

use schedulers::Policy;

use super::run::{
    in_words, monoio, on_current_thread, ours, run_on, tokio_workers, Outcome,
};
use super::worker::Worker;
use crate::listings::http;
use crate::listings::http::answer::answer;

pub(crate) fn std_thread(worker: Worker) -> Outcome {
    let listener = worker.listener()?;
    worker.ready();
    http::std_thread::serve(&listener, worker.accepted(), answer);
    Ok(())
}

pub(crate) fn tokio_multi_thread(worker: Worker) -> Outcome {
    tokio_workers(&worker, worker.workers(), 0..1, |listener, accepted| {
        http::tokio::serve(listener, accepted, answer)
    })
}

pub(crate) fn hyper_multi_thread(worker: Worker) -> Outcome {
    tokio_workers(&worker, worker.workers(), 0..1, http::hyper::serve)
}

pub(crate) fn tokio_current_thread(worker: Worker) -> Outcome {
    on_current_thread(worker, |listener, accepted| {
        http::tokio::serve(listener, accepted, answer)
    })
}

pub(crate) fn hyper_current_thread(worker: Worker) -> Outcome {
    on_current_thread(worker, http::hyper::serve)
}

pub(crate) fn monoio_epoll(worker: Worker) -> Outcome {
    run_on(runtimes::monoio::EPOLL, || async move {
        let listener = worker.nonblocking_listener()?;
        on_monoio(&worker, listener).await
    })
}

pub(crate) fn monoio_io_uring(worker: Worker) -> Outcome {
    run_on(runtimes::monoio::IO_URING, || async move {
        on_monoio(&worker, worker.listener()?).await
    })
}

async fn on_monoio(
    worker: &Worker,
    listener: std::net::TcpListener,
) -> Outcome {
    monoio(worker, listener, |listener, accepted| {
        http::monoio::serve(listener, accepted, answer)
    })
    .await
}

pub(crate) fn compio(worker: Worker) -> Outcome {
    run_on(runtimes::compio::DEFAULT, || async move {
        let listener = compio::net::TcpListener::from_std(worker.listener()?);
        let listener = listener.map_err(in_words)?;
        worker.ready();
        http::compio::serve(listener, worker.accepted(), answer).await;
        Ok(())
    })
}

pub(crate) fn smol(worker: Worker) -> Outcome {
    let listener = smol::net::TcpListener::try_from(worker.listener()?);
    let listener = listener.map_err(in_words)?;
    worker.ready();
    http::smol::run(worker.workers(), listener, worker.accepted(), answer);
    Ok(())
}

pub(crate) fn ours_pinned(worker: Worker) -> Outcome {
    ours(&worker, Policy::Pinned, |executor, listener, accepted| {
        http::ours::serve(executor, listener, accepted, answer);
    })
}

pub(crate) fn ours_stealing(worker: Worker) -> Outcome {
    ours(&worker, Policy::Stealing, |executor, listener, accepted| {
        http::ours::serve(executor, listener, accepted, answer);
    })
}
