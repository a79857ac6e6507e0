//! A future that takes a timestamp when it is polled and when it is woken.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::stamp::stamp;

/// A future that takes a timestamp at each poll, on the polling thread, and at each wake-up, on
/// the waking thread.
pub struct Noted<Inner> {
    inner: Pin<Box<Inner>>,
    poll: &'static str,
    wake: &'static str,
    waker: Option<Arc<NotedWaker>>,
}

impl<Inner: Future> Noted<Inner> {
    /// Wraps `inner` in a future that takes a timestamp named `poll` at each poll, and one named
    /// `wake` at each wake-up.
    pub fn new(inner: Inner, poll: &'static str, wake: &'static str) -> Noted<Inner> {
        Noted { inner: Box::pin(inner), poll, wake, waker: None }
    }
}

impl<Inner: Future> Future for Noted<Inner> {
    type Output = Inner::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        stamp(self.poll);
        let name = self.wake;
        let known = self.waker.take().filter(|of| of.inner.will_wake(context.waker()));
        let waker =
            known.unwrap_or_else(|| Arc::new(NotedWaker { inner: context.waker().clone(), name }));
        self.waker = Some(Arc::clone(&waker));
        self.inner.as_mut().poll(&mut Context::from_waker(&Waker::from(waker)))
    }
}

struct NotedWaker {
    inner: Waker,
    name: &'static str,
}

impl Wake for NotedWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        stamp(self.name);
        self.inner.wake_by_ref();
    }
}
