//! A handler has Rayon compute, and awaits the result.

use tokio::sync::oneshot;

/// Does the job on one of Rayon's threads. The task that awaits it leaves its worker
/// to others meanwhile.
pub async fn on_rayon<T: Send + 'static>(
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, result) = oneshot::channel();
    rayon::spawn(move || {
        // If the handler has been dropped, nobody wants the result.
        drop(sender.send(job()));
    });
    result.await.expect("the job does not panic")
}
