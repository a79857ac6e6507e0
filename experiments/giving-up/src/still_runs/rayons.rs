//! Jobs in a Rayon pool. They send their results through oneshot channels. To
//! give up on a job, its receiver is dropped.

use tokio::sync::oneshot;

use super::job::{compute, watched, Took, JOB, STEP};

/// Drops the receiver while a job runs that never checks whether its receiver
/// still exists.
pub(super) fn receiver_dropped() -> Took {
    let (owned, watcher) = watched();
    let (result, wanted) = oneshot::channel();
    rayon::spawn(move || {
        owned.begin();
        compute(JOB);
        drop(owned);
        let _ = result.send(());
    });
    watcher.gives_up(|| drop(wanted))
}

/// Drops the receiver while a job runs that checks in each step whether its
/// receiver still exists.
pub(super) fn looked_at() -> Took {
    let (owned, watcher) = watched();
    let (result, wanted) = oneshot::channel::<()>();
    rayon::spawn(move || {
        owned.begin();
        for _ in 0..JOB.as_millis() / STEP.as_millis() {
            if result.is_closed() {
                return;
            }
            compute(STEP);
        }
    });
    watcher.gives_up(|| drop(wanted))
}
