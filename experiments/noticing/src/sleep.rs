//! A future that is ready at a given time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::current;
use crate::reactor::Handle;
use crate::timers::Key;

/// Waits until `due`, with the millisecond resolution of `epoll_wait`.
/// Tokio's timers have the same resolution.
///
/// # Panics
///
/// If the calling thread belongs to no executor when this is awaited.
pub fn sleep_until(due: Instant) -> Sleep {
    Sleep { due, waiting: None }
}

/// The future returned by [`sleep_until`].
#[must_use = "nobody waits unless it is awaited"]
pub struct Sleep {
    due: Instant,
    waiting: Option<(Arc<Handle>, Key)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let due = self.due;
        if Instant::now() >= due {
            return Poll::Ready(());
        }
        let (handle, key) = self.waiting.get_or_insert_with(|| {
            let handle = current::reactor()
                .unwrap_or_else(|error| panic!("a timer needs one: {error}"));
            let key = handle.timers.key(due);
            (handle, key)
        });
        if handle.timers.wait(*key, cx.waker()) {
            handle.interrupt();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some((handle, key)) = &self.waiting {
            handle.timers.remove(*key);
        }
    }
}
