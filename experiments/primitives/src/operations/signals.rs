//! Operations on notifications and barriers of tasks.

use std::sync::Arc;

use super::{timed_future, How, Taking};
use crate::operations::locks;
use crate::primitive::{Barrier, Notify};

pub(crate) const TASKS: usize = 4;

const MEETINGS: u64 = 1_000;

pub(crate) fn times(how: How) -> u64 {
    locks::times(how)
}

pub(crate) fn meetings(_: How) -> u64 {
    MEETINGS
}

/// Waits for a notification that has already been sent, so the task never
/// sleeps.
pub(crate) fn notify<N: Notify>(how: How) -> Taking {
    Box::pin(async move {
        let kept = how.made(N::new);
        timed_future(async {
            for _ in 0..times(how) {
                if how == How::AsPublished {
                    N::new().notify_and_take().await;
                } else {
                    kept.notify_and_take().await;
                }
            }
            times(how)
        })
        .await
    })
}

/// Waits at a barrier with a count of one, so the task never sleeps.
pub(crate) fn barrier_of_one<B: Barrier>(how: How) -> Taking {
    Box::pin(async move {
        let kept = how.made(|| B::new(1));
        timed_future(async {
            let mut led = 0;
            for _ in 0..times(how) {
                led += u64::from(if how == How::AsPublished {
                    B::new(1).wait().await
                } else {
                    kept.wait().await
                });
            }
            led
        })
        .await
    })
}

/// Makes tasks meet repeatedly at a barrier. One operation is a meeting of
/// all tasks, not the wait of a single task.
pub(crate) fn barrier<B: Barrier>(how: How) -> Taking {
    Box::pin(async move {
        let barrier = how.made(|| Arc::new(B::new(TASKS)));
        timed_future(async move {
            let meet = |_| how.spawn(leads(barrier.clone()));
            let tasks: Vec<_> = (0..TASKS).map(meet).collect();
            let mut led = 0;
            for task in tasks {
                led += task.await.expect("no task panics");
            }
            led
        })
        .await
    })
}

async fn leads<B: Barrier>(barrier: Arc<B>) -> u64 {
    let mut led = 0;
    for _ in 0..MEETINGS {
        led += u64::from(barrier.wait().await);
    }
    led
}
