//! A handler hands a job to Rayon, and awaits the result.

use tokio::sync::oneshot;

/// Runs the job on one of Rayon's threads. The awaiting task frees its worker
/// for others until then.
pub async fn on_rayon<T: Send + 'static>(
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, result) = oneshot::channel();
    rayon::spawn(move || {
        // Fails if the handler has been dropped: then the result is not needed.
        drop(sender.send(job()));
    });
    result.await.expect("the job does not panic")
}
