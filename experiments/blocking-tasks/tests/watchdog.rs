//! The watchdog reports a deliberately long poll, and nothing else.

use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use blocking_tasks::listings::watchdog::watch;
use tokio::runtime::{Builder, Runtime};

const LIMIT: Duration = Duration::from_millis(20);

/// A poll that keeps a worker for 50 ms is reported once, before it ends, on
/// both kinds of runtime.
#[test]
fn a_planted_poll_of_50_ms_is_seen_while_it_lasts() {
    for runtime in runtimes() {
        let (tell, told) = channel();
        let stuck = move |worker| {
            let _ = tell.send((worker, Instant::now()));
        };
        watch(runtime.metrics(), LIMIT, stuck).unwrap();
        // Idle workers sleep, so the watchdog must not report them. Reports
        // from the time when the workers start are discarded.
        thread::sleep(3 * LIMIT);
        while told.try_recv().is_ok() {}
        let quiet = told.recv_timeout(5 * LIMIT);
        assert_eq!(quiet, Err(RecvTimeoutError::Timeout));

        let planted = runtime.spawn(async {
            let begun = Instant::now();
            thread::sleep(Duration::from_millis(50));
            begun
        });
        let begun = runtime.block_on(planted).unwrap();
        let (_, seen) = told.recv_timeout(Duration::from_secs(5)).unwrap();
        let after = seen - begun;
        assert!(after >= LIMIT / 2, "told after {after:?}");
        assert!(told.recv_timeout(5 * LIMIT).is_err(), "it was told twice");
    }
}

fn runtimes() -> [Runtime; 2] {
    let multi = Builder::new_multi_thread().worker_threads(2).build();
    let current = Builder::new_current_thread().build();
    [multi.unwrap(), current.unwrap()]
}
