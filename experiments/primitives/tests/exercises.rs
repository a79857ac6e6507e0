//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p primitives --test exercises -- --ignored surely
//! ```
//!
//! The module `worked` has a solution to each exercise.

use std::future::Future;

use futures_util::FutureExt;

mod yours {
    use super::*;

    // ANCHOR: stop
    /// Until `stop` is called, every caller of `stopped` waits. Afterwards no
    /// caller waits, whether it called `stopped` before or after.
    pub(super) struct Stop;

    impl Stopping for Stop {
        fn new() -> Stop {
            todo!()
        }

        fn stop(&self) {
            todo!()
        }

        async fn stopped(&self) {
            todo!()
        }
    }
    // ANCHOR_END: stop

    // ANCHOR: surely
    /// Each table has, for each operation, how many times as long the other
    /// library takes. How many operations has ours won in every table by more
    /// than a tenth, and how many has it lost in the same way?
    pub(super) fn surely(tables: &[Vec<f64>]) -> (usize, usize) {
        let _ = tables;
        todo!()
    }
    // ANCHOR_END: surely
}

mod worked {
    use tokio::sync::watch;

    use super::*;

    // ANCHOR: stop_worked
    pub(super) struct Stop(watch::Sender<bool>);

    impl Stopping for Stop {
        fn new() -> Stop {
            Stop(watch::Sender::new(false))
        }

        fn stop(&self) {
            self.0.send_replace(true);
        }

        async fn stopped(&self) {
            let mut stop = self.0.subscribe();
            let told = stop.wait_for(|&stop| stop).await;
            told.expect("`self` has the sender");
        }
    }
    // ANCHOR_END: stop_worked

    // ANCHOR: surely_worked
    pub(super) fn surely(tables: &[Vec<f64>]) -> (usize, usize) {
        let operations = tables.first().map_or(0, Vec::len);
        let count = |is_so: fn(f64) -> bool| {
            let in_each =
                |&at: &usize| tables.iter().all(|table| is_so(table[at]));
            (0..operations).filter(in_each).count()
        };
        (count(|ratio| ratio > 1.1), count(|ratio| 1.0 / ratio > 1.1))
    }
    // ANCHOR_END: surely_worked
}

trait Stopping {
    fn new() -> Self;
    fn stop(&self);
    fn stopped(&self) -> impl Future<Output = ()>;
}

fn check_stop<Stop: Stopping>() {
    let stop = Stop::new();
    let mut early: Vec<_> = (0..3).map(|_| Box::pin(stop.stopped())).collect();
    for waiting in &mut early {
        assert!(waiting.as_mut().now_or_never().is_none(), "it went through");
    }
    stop.stop();
    for waiting in early {
        assert!(waiting.now_or_never().is_some(), "one who waited still waits");
    }
    for _ in 0..2 {
        assert!(
            stop.stopped().now_or_never().is_some(),
            "one who came late waits"
        );
    }
}

fn check_surely(surely: fn(&[Vec<f64>]) -> (usize, usize)) {
    let first = vec![1.3, 1.3, 1.06, 0.5, 0.5, 1.0];
    let second = vec![1.2, 1.05, 1.3, 0.6, 1.5, 1.0];
    assert_eq!(surely(std::slice::from_ref(&first)), (2, 2));
    assert_eq!(surely(&[first.clone(), second.clone()]), (1, 1));
    assert_eq!(surely(&[second, first]), (1, 1));
}

#[test]
#[ignore = "an exercise"]
fn stop() {
    check_stop::<yours::Stop>();
}

#[test]
#[ignore = "an exercise"]
fn surely() {
    check_surely(yours::surely);
}

#[test]
fn stop_worked() {
    check_stop::<worked::Stop>();
}

#[test]
fn surely_worked() {
    check_surely(worked::surely);
}
