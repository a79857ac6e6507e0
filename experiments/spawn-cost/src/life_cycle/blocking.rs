//! A call that is handed to the blocking pool and awaited, and then the next.

/// Has `calls` calls made on threads of the blocking pool, each when the one
/// before it has returned, and adds up what they return.
pub async fn one_by_one(calls: u64) -> u64 {
    let mut sum = 0;
    for id in 0..calls {
        let call = tokio::task::spawn_blocking(move || id);
        sum += call.await.expect("the call returns its id");
    }
    sum
}
