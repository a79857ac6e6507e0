//! Tasks: spawning one, and waiting for its result.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{ready, Context, Poll};
use std::thread;

use async_task::{FallibleTask, Runnable};
use futures_lite::future::CatchUnwind;
use futures_lite::FutureExt;
use pin_project_lite::pin_project;
use thiserror::Error;

use crate::current;
use crate::shared::{Shared, Waiting};

/// Spawns a task on the executor of the calling task. The executor's policy
/// chooses the worker.
///
/// # Panics
///
/// If the calling thread is no worker.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let (shared, home) = current::with(|worker| {
        let worker = worker.expect(NO_WORKER);
        let home = worker.shared.home(Some(worker.index));
        (Arc::clone(&worker.shared), home)
    });
    spawn_at(shared, home, future)
}

/// Spawns a task on worker `worker`, counted from 0, of the calling task's
/// executor. The task stays on that worker under
/// [`Policy::Pinned`](crate::Policy::Pinned); other policies spawn it like
/// [`spawn`].
///
/// # Panics
///
/// If the calling thread is no worker, or its executor has no such worker.
pub fn spawn_on<F>(worker: usize, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let shared =
        current::with(|current| Arc::clone(&current.expect(NO_WORKER).shared));
    let workers = shared.workers();
    assert!(worker < workers, "there is no worker {worker}, only {workers}");
    spawn_at(shared, worker, future)
}

const NO_WORKER: &str =
    "only a task can spawn so; from other threads, use Executor::spawn";

pub(crate) fn spawn_at<F>(
    shared: Arc<Shared>,
    home: usize,
    future: F,
) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let future = AssertUnwindSafe(future).catch_unwind();
    let tracked = Tracked { future, waiting: None };
    let schedule = move |task| schedule(&shared, home, task);
    let (runnable, task) = async_task::spawn(tracked, schedule);
    runnable.schedule();
    JoinHandle(Some(task.fallible()))
}

/// Queues a task that was spawned or woken. If the calling thread is a worker
/// of the task's executor, the task goes to that worker's queue.
fn schedule(shared: &Arc<Shared>, home: usize, task: Runnable) {
    current::with(|worker| match worker {
        Some(worker) if Arc::ptr_eq(&worker.shared, shared) => {
            worker.queue.push(home, task);
        }
        _ => shared.push(home, task),
    });
}

pin_project! {
    /// A task's future with an entry in the list of waiting tasks. A waiting
    /// task is in no queue, so without the list the executor could not drop
    /// it.
    struct Tracked<F> {
        #[pin]
        future: CatchUnwind<AssertUnwindSafe<F>>,
        waiting: Option<Waiting>,
    }
}

impl<F: Future> Future for Tracked<F> {
    type Output = thread::Result<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let polled = this.future.poll(cx);
        if polled.is_pending() && this.waiting.is_none() {
            *this.waiting = current::with(|worker| {
                let worker = worker.expect("workers poll tasks");
                Some(Waiting::new(&worker.shared, worker.index, cx.waker()))
            });
        }
        polled
    }
}

/// A handle that waits for a task's result. The task goes on running if the
/// handle is dropped.
#[must_use = "a task runs without being awaited; `let _ =` says so"]
pub struct JoinHandle<T>(Option<FallibleTask<thread::Result<T>>>);

/// The reason why a task ended without a result.
#[derive(Debug, Error)]
pub enum JoinError {
    /// The task panicked with this payload, for
    /// [`std::panic::resume_unwind`].
    #[error("the task panicked")]
    Panicked(Box<dyn Any + Send>),
    /// The task's executor was dropped before the task had finished.
    #[error("the task's executor was dropped before the task was done")]
    ShutDown,
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Self::Output> {
        let task = self.0.as_mut().expect("it is there until dropped");
        Poll::Ready(match ready!(task.poll(cx)) {
            Some(result) => result.map_err(JoinError::Panicked),
            None => Err(JoinError::ShutDown),
        })
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.detach();
        }
    }
}
