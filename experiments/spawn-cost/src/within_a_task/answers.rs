//! Futures that wait for an answer from another task on the same worker, each
//! through its own oneshot channel.

use std::future::{poll_fn, Future};
use std::mem::size_of_val;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::sync::Notify;

use super::ways::Way;

/// The order in which the answering task gives its answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    /// The task yields after each answer.
    OneByOne,
    /// The task gives all answers in a single poll.
    Together,
}

impl Answers {
    /// Returns the name that is used in the parameter `kernel`.
    pub(super) const fn kernel(self) -> &'static str {
        match self {
            Answers::OneByOne => "answers one by one",
            Answers::Together => "answers together",
        }
    }
}

/// Awaits `units` answers, and adds them up. Each answer is the id of its
/// future. On a runtime with one worker, no answer is given until all futures
/// that may be in flight at once are waiting.
pub(super) async fn answered(
    way: impl Way,
    units: u64,
    answers: Answers,
) -> u64 {
    let (receivers, waiting) = asked(way, units, answers);
    let future = move |receiver| wait(receiver, Arc::clone(&waiting));
    let futures = receivers.into_iter().map(future);
    way.sum(futures).await
}

/// Like [`answered`], but also counts in `polls` how often the futures are
/// polled.
pub(super) async fn polled(
    way: impl Way,
    units: u64,
    answers: Answers,
    polls: Arc<AtomicU64>,
) -> u64 {
    let (receivers, waiting) = asked(way, units, answers);
    let futures = receivers.into_iter().map(move |receiver| {
        let future = wait(receiver, Arc::clone(&waiting));
        counted(future, Arc::clone(&polls))
    });
    way.sum(futures).await
}

/// Returns the size in bytes of the future that awaits `units` answers.
pub(super) fn containing(way: impl Way, units: u64) -> usize {
    let waiting = Arc::new(Waiting::for_all(way, units));
    let future = move |_| wait(oneshot::channel().1, Arc::clone(&waiting));
    size_of_val(&way.sum((0..units).map(future)))
}

/// Spawns the task that answers the futures. Returns the receivers of the
/// answers, and the counter of waiting futures.
fn asked(
    way: impl Way,
    units: u64,
    answers: Answers,
) -> (Vec<Receiver<u64>>, Arc<Waiting>) {
    let waiting = Arc::new(Waiting::for_all(way, units));
    let (senders, receivers) = (0..units).map(|_| oneshot::channel()).unzip();
    tokio::spawn(answer(senders, Arc::clone(&waiting), answers));
    (receivers, waiting)
}

/// Lets a task wait until all futures that may be in flight at once are
/// waiting. Checking the counter in a loop instead would keep the worker from
/// tasks in the shared queue.
struct Waiting {
    futures: AtomicU64,
    all: u64,
    all_wait: Notify,
}

impl Waiting {
    fn for_all(way: impl Way, units: u64) -> Waiting {
        Waiting {
            futures: AtomicU64::new(0),
            all: way.in_flight(units),
            all_wait: Notify::new(),
        }
    }
}

async fn wait(receiver: Receiver<u64>, waiting: Arc<Waiting>) -> u64 {
    if waiting.futures.fetch_add(1, Relaxed) + 1 == waiting.all {
        waiting.all_wait.notify_one();
    }
    receiver.await.expect("it is answered")
}

async fn answer(
    senders: Vec<Sender<u64>>,
    waiting: Arc<Waiting>,
    answers: Answers,
) {
    waiting.all_wait.notified().await;
    for (id, sender) in (0..).zip(senders) {
        // The receiver still waits for the answer, unless a panic has dropped
        // it.
        let _ = sender.send(id);
        if answers == Answers::OneByOne {
            give_way().await;
        }
    }
}

/// Sends the calling task to the end of its worker's queue. (Tokio's
/// `yield_now` would also ask the kernel for events.)
async fn give_way() {
    let mut has_been_there = false;
    poll_fn(|context| {
        if has_been_there {
            return Poll::Ready(());
        }
        has_been_there = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Awaits `future`, and counts in `polls` how often it is polled.
async fn counted<F: Future>(future: F, polls: Arc<AtomicU64>) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        polls.fetch_add(1, Relaxed);
        future.as_mut().poll(context)
    })
    .await
}
