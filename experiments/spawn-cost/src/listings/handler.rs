//! A request handler hands a job to Rayon, and awaits the result.

use tokio::sync::oneshot;

/// Runs `job` on one of Rayon's threads. While the calling task awaits the
/// result, its worker is free for others.
pub async fn on_rayon<T: Send + 'static>(
    job: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, result) = oneshot::channel();
    rayon::spawn(move || {
        // Sending fails if the handler has been dropped. In that case, nobody
        // needs the result.
        drop(sender.send(job()));
    });
    result.await.expect("the job does not panic")
}
