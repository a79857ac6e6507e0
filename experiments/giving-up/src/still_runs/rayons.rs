//! Jobs in a pool of Rayon's, whose result a task awaits.

use tokio::sync::oneshot;

use super::job::{compute, watched, Took, JOB, STEP};

/// Nobody wants the result any more, and the job doesn't know.
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

/// The job looks, once a step.
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
