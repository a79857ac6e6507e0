//! Operations on channels: one channel with a single receiver, where neither
//! sender nor receiver waits, and one channel with many receivers.

use super::{timed, timed_future, How, Taking, Took};
use crate::primitive::{Channel, Mpmc};

const MESSAGES: u64 = 100_000;

const MPMC_MESSAGES: u64 = 10_000;

/// The capacity of the channel with many senders and receivers. Channels that
/// are only created and dropped have the same capacity.
pub(crate) const CAPACITY: usize = 1_024;

const PRODUCERS: u64 = 4;
const CONSUMERS: u64 = 4;

pub(crate) fn times(_: How) -> u64 {
    MESSAGES
}

pub(crate) fn mpmc_times(_: How) -> u64 {
    MPMC_MESSAGES
}

/// Sends messages until the buffer is full.
pub(crate) fn send<C: Channel>(how: How) -> Took {
    let (sender, _receiver) = how.made(|| C::bounded(MESSAGES as usize));
    timed(|| fill::<C>(&sender))
}

/// Receives messages until the buffer is empty.
pub(crate) fn recv<C: Channel>(how: How) -> Took {
    let (_sender, mut receiver) = how.made(|| {
        let (sender, receiver) = C::bounded(MESSAGES as usize);
        fill::<C>(&sender);
        (sender, receiver)
    });
    timed(|| {
        let received =
            |message: &u64| C::try_recv(&mut receiver) == Some(*message);
        (0..MESSAGES).filter(received).count() as u64
    })
}

/// Alternately sends and receives one message, through a channel with room
/// for one.
pub(crate) fn round_trip<C: Channel>(how: How) -> Took {
    let (sender, mut receiver) = how.made(|| C::bounded(1));
    timed(|| {
        let arrives = |message: &u64| {
            C::try_send(&sender, *message)
                && C::try_recv(&mut receiver) == Some(*message)
        };
        (0..MESSAGES).filter(arrives).count() as u64
    })
}

fn fill<C: Channel>(sender: &C::Sender) -> u64 {
    (0..MESSAGES).filter(|&message| C::try_send(sender, message)).count() as u64
}

/// Sends messages between tasks through a buffer that holds only some of the
/// messages, so that senders and receivers wait for each other.
pub(crate) fn mpmc<C: Mpmc>(how: How) -> Taking {
    Box::pin(async move {
        let (sender, receiver) = how.made(|| C::bounded(CAPACITY));
        timed_future(async move {
            let producers: Vec<_> = (0..PRODUCERS)
                .map(|_| how.spawn(produce::<C>(sender.clone())))
                .collect();
            drop(sender);
            let consumers: Vec<_> = (0..CONSUMERS)
                .map(|_| how.spawn(consume::<C>(receiver.clone())))
                .collect();
            drop(receiver);
            for producer in producers {
                producer.await.expect("no producer panics");
            }
            let mut received = 0;
            for consumer in consumers {
                received += consumer.await.expect("no consumer panics");
            }
            received
        })
        .await
    })
}

async fn produce<C: Mpmc>(sender: C::Sender) {
    for message in 0..MPMC_MESSAGES / PRODUCERS {
        C::send(&sender, message).await;
    }
}

async fn consume<C: Mpmc>(receiver: C::Receiver) -> u64 {
    let mut received = 0;
    while C::recv(&receiver).await.is_some() {
        received += 1;
    }
    received
}
