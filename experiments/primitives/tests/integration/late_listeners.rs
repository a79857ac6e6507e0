//! Tests tasks that begin to wait for a signal after it has been sent. No
//! test waits: each future is polled once.

use futures_util::FutureExt;
use tokio::sync::{broadcast, watch, Notify};

#[test]
fn a_watch_tells_whoever_comes_late() {
    let (stop, _first) = watch::channel(false);
    stop.send_replace(true);
    for _ in 0..2 {
        let mut late = stop.subscribe();
        let told = late.wait_for(|&stop| stop).now_or_never();
        assert!(told.expect("it does not wait").is_ok());
    }
}

#[test]
fn a_broadcast_tells_those_who_were_there() {
    let (stop, mut early) = broadcast::channel(1);
    stop.send(()).expect("somebody listens");
    let mut late = stop.subscribe();
    assert_eq!(early.recv().now_or_never(), Some(Ok(())));
    assert_eq!(late.recv().now_or_never(), None, "it was not there");
}

#[test]
fn notify_waiters_tells_those_who_wait() {
    let stop = Notify::new();
    let mut early = Box::pin(stop.notified());
    assert!(early.as_mut().now_or_never().is_none());
    stop.notify_waiters();
    assert!(early.now_or_never().is_some());
    assert!(stop.notified().now_or_never().is_none(), "it came late");
}

#[test]
fn notify_one_tells_one_whether_early_or_late() {
    let stop = Notify::new();
    stop.notify_one();
    assert!(stop.notified().now_or_never().is_some());
    assert!(stop.notified().now_or_never().is_none(), "one was told");
}
