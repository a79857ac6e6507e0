//! What a future waits for that another task of the same worker answers: a oneshot channel each.

use std::future::{poll_fn, Future};
use std::mem::size_of_val;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::oneshot::{self, Receiver, Sender};

use super::ways::Way;

/// How the other task answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    /// It gives way behind each answer.
    OneByOne,
    /// All while it runs once.
    Together,
}

impl Answers {
    /// The parameter `kernel`.
    pub(super) const fn kernel(self) -> &'static str {
        match self {
            Answers::OneByOne => "answers one by one",
            Answers::Together => "answers together",
        }
    }
}

/// Awaits `units` answers, each of which is the id of its future, and adds them up. On a runtime of one worker, no
/// answer is given before as many futures wait as are under way at once.
pub(super) async fn answered(
    way: impl Way,
    units: u64,
    answers: Answers,
) -> u64 {
    let (receivers, waiting) = asked(way, units, answers);
    let futures = receivers
        .into_iter()
        .map(move |receiver| wait(receiver, Arc::clone(&waiting)));
    way.sum(futures).await
}

/// The same, and counts how often the futures are polled.
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

/// How large the future is that awaits them, in bytes.
pub(super) fn containing(way: impl Way, units: u64) -> usize {
    let waiting = Arc::default();
    let future = move |_| wait(oneshot::channel().1, Arc::clone(&waiting));
    size_of_val(&way.sum((0..units).map(future)))
}

/// Has another task answer. Returns where the answers come, and what each future counts that waits.
fn asked(
    way: impl Way,
    units: u64,
    answers: Answers,
) -> (Vec<Receiver<u64>>, Arc<AtomicU64>) {
    let waiting = Arc::new(AtomicU64::new(0));
    let (senders, receivers) = (0..units).map(|_| oneshot::channel()).unzip();
    let all_wait = (way.in_flight(units), Arc::clone(&waiting));
    tokio::spawn(answer(senders, all_wait, answers));
    (receivers, waiting)
}

async fn wait(receiver: Receiver<u64>, waiting: Arc<AtomicU64>) -> u64 {
    waiting.fetch_add(1, Relaxed);
    receiver.await.expect("it is answered")
}

async fn answer(
    senders: Vec<Sender<u64>>,
    (in_flight, waiting): (u64, Arc<AtomicU64>),
    answers: Answers,
) {
    while waiting.load(Relaxed) < in_flight {
        give_way().await;
    }
    for (id, sender) in (0..).zip(senders) {
        // Somebody waits for it, unless a panic has ended that.
        let _ = sender.send(id);
        if answers == Answers::OneByOne {
            give_way().await;
        }
    }
}

/// Goes to the end of the worker's queue. (Tokio's `yield_now` asks the kernel for events as well.)
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

/// Counts how often it is polled.
async fn counted<F: Future>(future: F, polls: Arc<AtomicU64>) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        polls.fetch_add(1, Relaxed);
        future.as_mut().poll(context)
    })
    .await
}
