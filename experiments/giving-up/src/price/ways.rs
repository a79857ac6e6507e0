//! Sends requests in several ways: without a way to give up, and with
//! different ways for the client to give up.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::time::{sleep, timeout as until, Instant, Sleep};
use tokio_util::sync::CancellationToken;

use super::service::Service;

const LIMIT: Duration = Duration::from_secs(30);

/// The runtime's other timers: their number, and whether they expire later
/// than the timers of the requests. None of them expires before the
/// measurement ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Others {
    pub(super) pending: usize,
    pub(super) due_after: bool,
}

impl Others {
    /// Starts the timers, with deadlines spread evenly over five seconds.
    fn start(self) -> Vec<Pin<Box<Sleep>>> {
        let first = if self.due_after { LIMIT * 2 } else { LIMIT * 2 / 3 };
        let step = Duration::from_secs(5) / self.pending.max(1) as u32;
        let mut context = Context::from_waker(Waker::noop());
        let timer = |place| {
            let mut timer = Box::pin(sleep(first + step * place as u32));
            assert!(timer.as_mut().poll(&mut context).is_pending());
            timer
        };
        (0..self.pending).map(timer).collect()
    }
}

/// A service, and the client's data for each way of sending requests.
pub(super) struct Setting<S> {
    service: S,
    stop: CancellationToken,
    /// The timer that [`sleep_reset`] resets for each request.
    limit: Pin<Box<Sleep>>,
    others: Vec<Pin<Box<Sleep>>>,
}

impl<S: Service> Setting<S> {
    pub(super) async fn new(others: Others) -> Setting<S> {
        let (service, others) = (S::start().await, others.start());
        // Gives the runtime's driver time to register the timers.
        sleep(Duration::from_millis(2)).await;
        Setting {
            service,
            stop: CancellationToken::new(),
            limit: Box::pin(sleep(LIMIT)),
            others,
        }
    }

    pub(super) async fn end(self) {
        drop(self.others);
    }
}

/// Sends requests without a way to give up. Returns the sum of the answers.
pub(super) async fn baseline<S: Service>(
    mut setting: Setting<S>,
    requests: u64,
) -> (Setting<S>, u64) {
    let mut sum = 0;
    for id in 0..requests {
        sum += setting.service.ask(id).await;
    }
    (setting, sum)
}

pub(super) async fn timeout<S: Service>(
    mut setting: Setting<S>,
    requests: u64,
) -> (Setting<S>, u64) {
    let mut sum = 0;
    for id in 0..requests {
        let answer = until(LIMIT, setting.service.ask(id)).await;
        sum += answer.expect("it comes in time");
    }
    (setting, sum)
}

/// Sends requests with a single timer, which is reset for each request.
pub(super) async fn sleep_reset<S: Service>(
    mut setting: Setting<S>,
    requests: u64,
) -> (Setting<S>, u64) {
    let mut sum = 0;
    let Setting { service, limit, .. } = &mut setting;
    for id in 0..requests {
        limit.as_mut().reset(Instant::now() + LIMIT);
        sum += tokio::select! {
            biased;
            answer = service.ask(id) => answer,
            () = limit.as_mut() => panic!("it comes in time"),
        };
    }
    (setting, sum)
}

/// Sends requests. Waits for each answer or a stop signal from another task,
/// whichever comes first. The two are polled in random order.
pub(super) async fn select<S: Service>(
    mut setting: Setting<S>,
    requests: u64,
) -> (Setting<S>, u64) {
    let mut sum = 0;
    let Setting { service, stop, .. } = &mut setting;
    for id in 0..requests {
        sum += tokio::select! {
            answer = service.ask(id) => answer,
            () = stop.cancelled() => panic!("nobody stops it"),
        };
    }
    (setting, sum)
}

/// Sends requests, and waits for either the answer, which is always polled
/// first, or a stop signal.
pub(super) async fn select_biased<S: Service>(
    mut setting: Setting<S>,
    requests: u64,
) -> (Setting<S>, u64) {
    let mut sum = 0;
    let Setting { service, stop, .. } = &mut setting;
    for id in 0..requests {
        sum += tokio::select! {
            biased;
            answer = service.ask(id) => answer,
            () = stop.cancelled() => panic!("nobody stops it"),
        };
    }
    (setting, sum)
}

/// Sends requests, each with a cancellation token of its own. Cancelling the
/// client's token would cancel all of them.
pub(super) async fn child_token<S: Service>(
    mut setting: Setting<S>,
    requests: u64,
) -> (Setting<S>, u64) {
    let mut sum = 0;
    for id in 0..requests {
        let stop = setting.stop.child_token();
        let answer = stop.run_until_cancelled(setting.service.ask(id)).await;
        sum += answer.expect("nobody stops it");
    }
    (setting, sum)
}
