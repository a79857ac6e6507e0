//! Jobs in a Rayon pool, whose results a task awaits.

use tokio::sync::oneshot;

use super::job::{compute, watched, Took, JOB, STEP};

/// Drops the receiver of a job that doesn't notice.
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

/// Drops the receiver of a job that checks for it once per step.
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
