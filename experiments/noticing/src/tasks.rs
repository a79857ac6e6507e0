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

/// Spawns a task on the executor of the calling task.
///
/// # Panics
///
/// If the calling thread belongs to no executor.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let shared = current::with(|current| {
        Arc::clone(&current.expect(NO_EXECUTOR).shared)
    });
    spawn_on(shared, future)
}

const NO_EXECUTOR: &str =
    "only a task can spawn so; from other threads, use Executor::spawn";

pub(crate) fn spawn_on<F>(
    shared: Arc<Shared>,
    future: F,
) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let future = AssertUnwindSafe(future).catch_unwind();
    let tracked = Tracked { future, waiting: None };
    let schedule = move |task| schedule(&shared, task);
    let (runnable, task) = async_task::spawn(tracked, schedule);
    runnable.schedule();
    JoinHandle(Some(task.fallible()))
}

/// Queues a task that was spawned or woken. If the calling thread belongs to
/// the task's executor, the task goes to that thread's own queue.
fn schedule(shared: &Arc<Shared>, task: Runnable) {
    current::with(|current| match current {
        Some(current) if Arc::ptr_eq(&current.shared, shared) => {
            current.worker.push(task);
        }
        _ => shared.scheduler.push(task),
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
            *this.waiting = current::with(|current| {
                let current = current.expect("an executor polls its tasks");
                Some(Waiting::new(&current.shared, cx.waker()))
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
